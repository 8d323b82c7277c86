/* A simulation watched while it runs: `brunt view SCENE`. One thread simulates, another makes packets of the newest state,
   and each page has one that sends. The first two never wait for a page, and the simulation waits for nobody. The
   messages are those of docs/viewer.md. */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include "server/server.h"

#include <brunt/brunt.h>

typedef struct cli_live cli_live;

/* sim and everything it was made of belong to the live simulation until it is destroyed; they are not destroyed by it,
   but a reset replaces *sim. text: the scene's, as from brn_scene_write. The simulation starts with the first page
   (paused: when told to). On failure stderr says why and the result is NULL. */
cli_live *cli_live_create(brn_ctx *ctx, const brn_model *model, brn_sim **sim, const char *text, bool paused);
/* What the server asks for. */
cli_service cli_live_service(cli_live *live);
/* Shows a warning in the pages for a moment; from any thread. */
void cli_live_warn(cli_live *live, const char *message);
/* Ends the threads; the server must have been stopped before, as it calls the service. NULL is fine. */
void cli_live_destroy(cli_live *live);

#endif
