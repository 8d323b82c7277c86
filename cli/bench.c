/* brunt bench: the cases live in bench/, which may use the library's internals. */
#include "../bench/bench.h"
#include "commands.h"

int cli_bench(int argc, char **argv)
{
    return brn_bench_main(argc, argv);
}
