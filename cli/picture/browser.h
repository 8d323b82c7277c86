/* A headless browser that draws pictures for us: Chromium, or Chrome. */
#ifndef CLI_BROWSER_H
#define CLI_BROWSER_H

#include "picture/process.h"

typedef struct cli_browser {
    cli_process process;
    char folder[CLI_SCRATCH_SIZE]; /* its profile, and what it prints; "": none */
} cli_browser;

/* $BRUNT_CHROMIUM, or what PATH has. False, with what to install on stderr: there is none. */
bool cli_browser_find(char *path, size_t size);
/* Opens the address with a fresh profile. Stop it either way. */
bool cli_browser_start(cli_browser *browser, const char *path, const char *url, int width, int height);
/* The last meaningful line it printed, "" if there is none. */
void cli_browser_words(const cli_browser *browser, char *line, size_t size);
/* Ends it and removes its profile. */
void cli_browser_stop(cli_browser *browser);

#endif
