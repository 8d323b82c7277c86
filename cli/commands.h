/* The sub-commands. Each gets the words after its name and returns the exit code. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

int cli_run(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_design(int argc, char **argv);
int cli_sweep(int argc, char **argv);
int cli_info(int argc, char **argv);
int cli_export(int argc, char **argv);
int cli_view(int argc, char **argv);
int cli_coarsen(int argc, char **argv);
int cli_cone(int argc, char **argv);
int cli_bench(int argc, char **argv);

#endif
