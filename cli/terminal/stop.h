/* Asking a run to stop: SIGINT, SIGTERM and SIGHUP end it, without the step that is under way, and everything before is kept; a
   second one ends it at once. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <brunt/brunt.h>
#include <stdbool.h>
#include <sys/types.h>

/* From now on the first signal is remembered. */
void cli_stop_catch(void);
/* Whose steps such a signal cancels, too; NULL: nobody's. */
void cli_stop_cancels(brn_ctx *ctx);
/* Number of the signal that asked for a stop, 0 if none did. */
int cli_stop_signal(void);

/* Runs in a child process: a terminal sends its signals to parent and child alike, so the child ignores its own and looks
   at what the parent was told. Called once before the first fork; false when memory runs out. */
bool cli_stop_share(void);
/* In the parent: a child that hears of signals, and that a second one ends; false: there are too many (256). Then that it is gone. */
bool cli_stop_child(pid_t child);
void cli_stop_child_gone(pid_t child);
/* In the child, right after the fork: listens to the parent, and stops too when the parent is gone; at_once: is killed then. */
void cli_stop_follow(pid_t parent, bool at_once);

#endif
