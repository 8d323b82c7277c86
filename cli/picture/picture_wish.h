/* What a picture should show: options of `brunt export`, and the address by which the page is told (docs/viewer.md, Pictures). */
#ifndef CLI_PICTURE_WISH_H
#define CLI_PICTURE_WISH_H

#include "terminal/grow_text.h"
#include "terminal/options.h"

/* Texts as given, NULL for options not given. */
typedef struct cli_wish {
    const char *time, *frame, *view, *size, *fit, *zoom, *colour, *range, *scale, *hide, *ghost, *cut, *paint,
        *turn, *title, *theme, *fps, *speed;
    cli_list label, beside;
    bool patch, contacts, wireframe, axes;
    int timeout; /* [s] */
} cli_wish;

enum { CLI_WISH_OPTIONS = 25 };

/* Nothing wished for, and the options that fill it. */
void cli_wish_init(cli_wish *wish, cli_option options[CLI_WISH_OPTIONS]);
void cli_wish_free(cli_wish *wish);
/* The first option that was given, NULL if none: those of pictures mean nothing to other formats. */
const char *cli_wish_given(const cli_wish *wish);
/* CLI_PARSED, or CLI_USAGE with the reason on stderr. film: an mp4. */
int cli_wish_check(const cli_wish *wish, bool film);
/* [pixels] */
void cli_wish_size(const cli_wish *wish, bool film, int size[2]);
/* How many moments --time or --frame names: 1 if neither, 0 for all. */
int cli_wish_moments(const cli_wish *wish);
/* The k-th of them as text, "" if neither names one. */
void cli_wish_moment(const cli_wish *wish, int k, char *text, size_t size);

/* Of a film; [1/s], and simulated seconds per second: as wished, else real time or slower, so that there is something to
   see. length [s] of the run. */
double cli_wish_fps(const cli_wish *wish);
double cli_wish_speed(const cli_wish *wish, double length);
/* The part of the address after '#'. panels: all moments in one picture. speed: of a film, 0 for pictures. */
void cli_wish_address(const cli_wish *wish, bool panels, double speed, cli_text *address);

#endif
