/* Messages between the ranks of a study: what is sent arrives, what is torn or foreign is refused. And the cores of each rank. */
#include "test.h"

#include "study/ranks.h"

static const char *const settings[] = {"materials.m.young=1e5", "", "a.b[2]=\"[0, 0, 1]\""};
static const brn_design_job job = {.number = INT64_MAX,
                                   .scene = "folder/scene.yaml",
                                   .set = settings,
                                   .nset = 3,
                                   .folder = "out/runs/0001-2",
                                   .full = true,
                                   .limit = 0.1};

static cli_packet job_packet(void)
{
    cli_packet packet = cli_packet_begin(CLI_JOB);
    cli_packet_put_job(&packet, &job);
    assert_false(packet.failed);
    return packet;
}

/* Of so many of its bytes, on the heap, so that a sanitizer sees a step too far. */
static cli_packet copy_of(const cli_packet *packet, size_t size)
{
    cli_packet copy = {.bytes = malloc(size > 0 ? size : 1), .size = size};
    assert_non_null(copy.bytes);
    memcpy(copy.bytes, packet->bytes, size);
    return copy;
}

static bool read_job(cli_packet *packet, brn_design_job *out, const char ***set)
{
    *set = NULL;
    if (cli_packet_kind(packet) != CLI_JOB) {
        return false;
    }
    cli_packet_get_job(packet, out, set);
    return cli_packet_whole(packet);
}

static void jobs_arrive(void **state)
{
    (void)state;
    cli_packet packet = job_packet();
    brn_design_job got;
    const char **set;
    assert_true(read_job(&packet, &got, &set));
    assert_int_equal(got.number, job.number);
    assert_string_equal(got.scene, job.scene);
    assert_string_equal(got.folder, job.folder);
    assert_true(got.full && got.limit == 0.1);
    assert_int_equal(got.nset, 3);
    for (int i = 0; i < 3; ++i) {
        assert_string_equal(got.set[i], settings[i]);
    }
    free(set);
    cli_packet_free(&packet);
}

static void other_messages_arrive(void **state)
{
    (void)state;
    const brn_design_outcome outcome = {
        .number = 7, .status = BRN_ERR_LIMIT, .lost = true, .reason = "why", .wall = 2.5, .cpu = 1.5};
    brn_design_outcome got;
    cli_packet packet = cli_packet_begin(CLI_OUTCOME);
    cli_packet_put_outcome(&packet, &outcome);
    assert_int_equal(cli_packet_kind(&packet), CLI_OUTCOME);
    cli_packet_get_outcome(&packet, &got);
    assert_true(cli_packet_whole(&packet) && got.number == 7 && got.status == BRN_ERR_LIMIT && got.lost);
    assert_true(got.wall == 2.5 && got.cpu == 1.5 && strcmp(got.reason, "why") == 0);
    cli_packet_free(&packet);

    cli_rank_place here, there;
    cli_rank_place_get(&here);
    packet = cli_packet_begin(CLI_HELLO);
    cli_packet_put_place(&packet, &here);
    assert_int_equal(cli_packet_kind(&packet), CLI_HELLO);
    cli_packet_get_place(&packet, &there);
    assert_true(cli_packet_whole(&packet));
    assert_string_equal(here.host, there.host);
    assert_memory_equal(here.core, there.core, sizeof here.core);
    cli_packet_free(&packet);

    cli_welcome welcome;
    packet = cli_packet_begin(CLI_WELCOME);
    cli_packet_put_welcome(&packet, &(cli_welcome){3, 2, "/a folder"});
    assert_int_equal(cli_packet_kind(&packet), CLI_WELCOME);
    cli_packet_get_welcome(&packet, &welcome);
    assert_true(cli_packet_whole(&packet) && welcome.jobs == 3 && welcome.threads == 2);
    assert_string_equal(welcome.folder, "/a folder");
    cli_packet_free(&packet);
}

static void torn_messages_are_refused(void **state)
{
    (void)state;
    cli_packet whole = job_packet();
    for (size_t size = 0; size < whole.size; ++size) {
        cli_packet packet = copy_of(&whole, size);
        brn_design_job got;
        const char **set;
        assert_false(read_job(&packet, &got, &set));
        free(set);
        cli_packet_free(&packet);
    }
    /* Nor one with something behind it. */
    cli_packet_put_text(&whole, "more");
    brn_design_job got;
    const char **set;
    assert_false(read_job(&whole, &got, &set));
    free(set);
    cli_packet_free(&whole);
}

/* Any byte changed to any other: refused, or read with everything within the packet. */
static void foreign_messages_do_no_harm(void **state)
{
    (void)state;
    cli_packet whole = job_packet();
    int refused = 0;
    for (size_t at = 0; at < whole.size; ++at) {
        for (int value = 1; value < 256; ++value) {
            cli_packet packet = copy_of(&whole, whole.size);
            packet.bytes[at] ^= (unsigned char)value;
            brn_design_job got;
            const char **set;
            if (read_job(&packet, &got, &set)) {
                size_t bytes = strlen(got.scene) + strlen(got.folder);
                for (int i = 0; i < got.nset; ++i) {
                    bytes += strlen(got.set[i]);
                }
                assert_true(bytes < packet.size);
            } else {
                ++refused;
            }
            free(set);
            cli_packet_free(&packet);
        }
    }
    /* Every byte of the head, of a length and of an end of a text is checked: 4 of magic, 6 lengths of 8, ... */
    assert_true(refused > 255 * 52);
    cli_packet_free(&whole);
}

static cli_rank_place place_of(const char *host, int first, int cores)
{
    cli_rank_place place = {0};
    (void)snprintf(place.host, sizeof place.host, "%s", host);
    for (int i = first; i < first + cores; ++i) {
        place.core[i / 8] |= (unsigned char)(1 << i % 8);
    }
    return place;
}

static void cores_are_shared(void **state)
{
    (void)state;
    /* Three ranks of one machine with 8 cores, one of another with 4, two that are bound to a core each, two that share one. */
    const cli_rank_place places[] = {
        place_of("a", 0, 8), place_of("b", 0, 4), place_of("a", 0, 8), place_of("a", 0, 8),
        place_of("c", 0, 1), place_of("c", 1, 1), place_of("d", 0, 1), place_of("d", 0, 1),
    };
    static const int wanted[] = {3, 4, 3, 2, 1, 1, 1, 1};
    for (int i = 0; i < 8; ++i) {
        assert_int_equal(cli_ranks_share(places, 8, i), wanted[i]);
    }
    assert_int_equal(cli_ranks_machines(places, 8), 4);
    cli_rank_place here;
    cli_rank_place_get(&here);
    assert_true(cli_ranks_share(&here, 1, 0) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_arrive),
        cmocka_unit_test(other_messages_arrive),
        cmocka_unit_test(torn_messages_are_refused),
        cmocka_unit_test(foreign_messages_do_no_harm),
        cmocka_unit_test(cores_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
