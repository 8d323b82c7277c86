/* A film from pictures, by ffmpeg. */
#ifndef CLI_ENCODER_H
#define CLI_ENCODER_H

#include "picture/process.h"

typedef struct cli_encoder {
    cli_process process;
    char folder[CLI_SCRATCH_SIZE];  /* what it prints; "": none */
    char file[4096], partial[4160]; /* the film, and its name until it is whole */
} cli_encoder;

/* False, with what to install on stderr: there is none. */
bool cli_encoder_find(char *path, size_t size);
/* An MP4 (H.264) that plays everywhere. End or drop it either way. */
bool cli_encoder_start(cli_encoder *encoder, const char *path, const char *file, double fps);
/* The next picture, a PNG. False: ffmpeg has ended. Any thread, one at a time. */
bool cli_encoder_add(cli_encoder *encoder, const void *png, size_t size);
/* The film is whole: gives it its name. False, with ffmpeg's words on stderr. */
bool cli_encoder_end(cli_encoder *encoder);
/* Ends ffmpeg and removes an incomplete film. After cli_encoder_end it only tidies up. */
void cli_encoder_drop(cli_encoder *encoder);

#endif
