/* Commands of the page: one per message. Read strictly, as they come from outside. */
#include "live/live_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 6, STEPS_MAX = 1000000000 };

/* arguments: n a whole number from 0, r a real number. */
static const struct {
    const char *word;
    live_verb verb;
    const char *arguments, *usage;
} commands[] = {
    {"ack", LIVE_ACK, "n", "ack INDEX"},
    {"pause", LIVE_PAUSE, "", "pause"},
    {"resume", LIVE_RESUME, "", "resume"},
    {"step", LIVE_STEP, "n", "step N"},
    {"reset", LIVE_RESET, "", "reset"},
    {"speed", LIVE_SPEED, "r", "speed X"},
    {"drag", LIVE_DRAG, "nrrr", "drag VERTEX X Y Z"},
    {"release", LIVE_RELEASE, "", "release"},
    {"move", LIVE_MOVE, "nrrr", "move BODY X Y Z"},
    {"gravity", LIVE_GRAVITY, "rrr", "gravity X Y Z"},
    {"friction", LIVE_FRICTION, "r", "friction MU"},
    {"friction", LIVE_FRICTION, "rnn", "friction MU BODY BODY"},
    {"motion", LIVE_MOTION, "nr", "motion N X"},
    {"joint", LIVE_JOINT, "n", "joint N"},
    {"joint", LIVE_JOINT, "nr", "joint N X"},
};

/* The words of the text, which is cut at the blanks; -1: too many, or something that is neither word nor blank. */
static int split(char *text, char *words[WORDS_MAX])
{
    int count = 0;
    for (char *p = text; *p != '\0';) {
        if (*p == ' ') {
            *p++ = '\0';
            continue;
        }
        if (count == WORDS_MAX) {
            return -1;
        }
        words[count++] = p;
        for (; *p != '\0' && *p != ' '; ++p) {
            if (*p < '!' || *p > '~') {
                return -1;
            }
        }
    }
    return count;
}

static bool read_whole(const char *word, int *out)
{
    int value = 0;
    for (const char *p = word; *p != '\0'; ++p) {
        if (*p < '0' || *p > '9' || value > STEPS_MAX / 10) {
            return false;
        }
        value = 10 * value + (*p - '0');
    }
    *out = value;
    return word[0] != '\0' && value <= STEPS_MAX;
}

/* Decimal only: no inf, nan or hexadecimal, which strtod would take. */
static bool read_number(const char *word, double *out)
{
    char *end = NULL;
    if (strspn(word, "+-.0123456789eE") != strlen(word)) {
        return false;
    }
    *out = strtod(word, &end);
    return end != word && *end == '\0' && isfinite(*out);
}

static bool read_arguments(const char *arguments, char *const *words, live_command *out)
{
    int whole = 0, numbers = 0;
    for (int i = 0; arguments[i] != '\0'; ++i) {
        if (arguments[i] == 'n' ? !read_whole(words[i], &out->index[whole++])
                                : !read_number(words[i], &out->value[numbers++])) {
            return false;
        }
    }
    return true;
}

bool live_command_parse(const char *text, size_t length, live_command *out, char why[LIVE_ERROR_SIZE])
{
    char copy[CLI_COMMAND_MAX + 1];
    if (length > CLI_COMMAND_MAX || memchr(text, '\0', length) != NULL) {
        (void)snprintf(why, LIVE_ERROR_SIZE, "a command is one line of at most %d letters", CLI_COMMAND_MAX);
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *words[WORDS_MAX];
    const int count = split(copy, words);
    const char *usage = NULL;
    for (size_t i = 0; count > 0 && i < sizeof commands / sizeof *commands; ++i) {
        if (strcmp(words[0], commands[i].word) != 0) {
            continue;
        }
        usage = commands[i].usage;
        *out = (live_command){.verb = commands[i].verb, .index = {-1, -1}, .value = {NAN, NAN, NAN}};
        if ((int)strlen(commands[i].arguments) == count - 1 &&
            read_arguments(commands[i].arguments, words + 1, out)) {
            return true;
        }
    }
    if (usage != NULL) {
        (void)snprintf(why, LIVE_ERROR_SIZE, "this command reads: %s", usage);
    } else {
        (void)snprintf(why, LIVE_ERROR_SIZE, "there is no such command");
    }
    return false;
}
