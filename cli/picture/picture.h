/* Pictures and films of runs: the viewer's page draws them in a headless browser and posts them to our server. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "picture/picture_wish.h"

typedef struct cli_picture {
    const char *run_dir;
    const char *out; /* file (.png: all moments in one picture; a film) or folder; NULL: below run_dir */
    bool film;
    bool quiet;
    const cli_wish *wish; /* checked */
} cli_picture;

/* Returns the exit code. */
int cli_picture_export(const cli_picture *picture);

#endif
