/* brunt design: parameters of a scene that make figures of its run as good as possible. */
#include "commands.h"
#include "study/study.h"

int cli_design(int argc, char **argv)
{
    cli_study_args args = {.kind = BRN_DESIGN_SEARCH, .threads = 1, .seed = -1};
    const cli_option options[] = {
        CLI_STUDY_OPTIONS(args, "folder of the study (default: out/NAME-design)",
                          "how many points, at most, instead of the problem's number",
                          "of the optimiser, instead of the problem's"),
    };
    const cli_syntax syntax = {
        .command = "design",
        .summary =
            "Searches the parameters of a scene that make an objective over the figures of its run as low "
            "(or "
            "high) as possible,\nwithin constraints. Simulations run in processes of their own; every value "
            "goes to a log at once. Ctrl-C stops and\nkeeps everything, --resume goes on from the log to the "
            "same result. 'brunt info design' explains the file.",
        .operand = "PROBLEM",
        .operand_help = "file of a design problem (docs/design.md)",
        .operands_min = 1,
        .options = options,
        .option_count = CLI_COUNT(options),
        .examples = "  brunt design problem.yaml\n"
                    "  brunt design problem.yaml --jobs 4 --evaluations 200 --out out/long\n"
                    "  brunt design problem.yaml --resume\n"
                    "  mpirun -n 8 --bind-to none brunt design problem.yaml --mpi\n",
    };
    int code = cli_parse(&syntax, argc, argv, &args.path);
    args.operand = args.path;
    if (code == CLI_PARSED) {
        code = cli_study_run(&args);
    }
    cli_list_free(&args.set);
    return code;
}
