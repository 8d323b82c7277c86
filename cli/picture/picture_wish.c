#include "picture/picture_wish.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MIN = 16, SIZE_MAX = 8192, MOMENTS_MAX = 10000, TIMEOUT = 120 };

static const double fps_default = 30.0;
static const double film_least = 4.0; /* [s] */

/* ---- the options -------------------------------------------------------------------------------------------------------- */

/* One line per option: its name, its value in the help, the help, the member it fills. In order of use. */
#define WISH_TEXTS(X)                                                                               \
 X(time, "T,...", "png: frames nearest to these times [s] (default: the last)")                     \
 X(frame, "N,...", "png: frames by number, from the end if negative; all: each of them")            \
 X(size, "WxH", "pixels (default 960x600)")                                                         \
 X(view, "AZ,EL", "camera: azimuth from +x towards +y, elevation [degrees] (default -60,18)")       \
 X(fit, "BODY,...", "bodies that must be in the picture (default: all); * and ? stand for letters") \
 X(zoom, "F", "nearer (> 1) or farther than the fitted view")                                       \
 X(colour, "NAME",                                                                                  \
   "von_mises, stress_xx, stress_1 ..., strain, speed, displacement, pressure, body (default)")     \
 X(range, "LO,HI", "range of the colours; auto: up to the 99th percentile of the vertices")         \
 X(scale, "F", "exaggeration of displacements")                                                     \
 X(hide, "BODY,...", "bodies to leave out")                                                         \
 X(ghost, "BODY,...", "bodies to make transparent")                                                 \
 X(cut, "BODY:-y,...", "the half of a body on that side (+x, -x, ...) is left out")                 \
 X(paint, "BODY:#RRGGBB,...", "colours of bodies; several joined by + in turn")                     \
 X(turn, "AXIS:DEGREES", "turn everything, as for a scene in a tilted frame")                       \
 X(title, "TEXT", "above the picture")                                                              \
 X(fps, "N", "mp4: pictures a second (default 30)")                                                 \
 X(speed, "F", "mp4: simulated seconds a second (default: 1, or slower for a film of 4 s)")

#define WISH_FLAGS(X)                                          \
 X(patch, "half-spaces as the squares stored in the run")      \
 X(contacts, "contact points with the arrows of their forces") \
 X(wireframe, "the edges of the triangles")                    \
 X(axes, "the cross of axes")

void cli_wish_init(cli_wish *wish, cli_option options[CLI_WISH_OPTIONS])
{
    static const char *const themes[] = {"light", "dark", NULL};
    *wish = (cli_wish){.timeout = TIMEOUT};
    int n = 0;
#define ADD_TEXT(name, value, help) \
 options[n++] = (cli_option){#name, 0, CLI_TEXT, value, help, &wish->name, 0, 0, NULL};
    WISH_TEXTS(ADD_TEXT)
#undef ADD_TEXT
#define ADD_FLAG(name, help) \
 options[n++] = (cli_option){#name, 0, CLI_FLAG, NULL, help, &wish->name, 0, 0, NULL};
    WISH_FLAGS(ADD_FLAG)
#undef ADD_FLAG
    options[n++] = (cli_option){
        "label",      0, CLI_LIST, "TEXT", "below a moment (with --beside: name of a run), in turn",
        &wish->label, 0, 0,        NULL};
    options[n++] = (cli_option){"beside",      0, CLI_LIST, "DIR", "another run in the same picture",
                                &wish->beside, 0, 0,        NULL};
    options[n++] =
        (cli_option){"theme", 0, CLI_CHOICE, "light|dark", "background", &wish->theme, 0, 0, themes};
    options[n++] =
        (cli_option){"timeout",      0, CLI_INT, "S", "seconds the browser may be silent (default 120)",
                     &wish->timeout, 1, 86400,   NULL};
    _Static_assert(17 + 4 + 4 == CLI_WISH_OPTIONS, "one place an option");
}

void cli_wish_free(cli_wish *wish)
{
    cli_list_free(&wish->label);
    cli_list_free(&wish->beside);
}

const char *cli_wish_given(const cli_wish *wish)
{
#define IF_TEXT(name, value, help) \
 if (wish->name != NULL) {         \
  return #name;                    \
 }
    WISH_TEXTS(IF_TEXT)
#undef IF_TEXT
#define IF_FLAG(name, help) \
 if (wish->name) {          \
  return #name;             \
 }
    WISH_FLAGS(IF_FLAG)
#undef IF_FLAG
    return wish->label.count > 0    ? "label"
           : wish->beside.count > 0 ? "beside"
           : wish->theme != NULL    ? "theme"
                                    : NULL;
}

/* ---- values --------------------------------------------------------------------------------------------------------------- */

static int refuse(const char *name, const char *text, const char *allowed)
{
    (void)fprintf(stderr, "brunt export: --%s %s: %s\n", name, text, allowed);
    return CLI_USAGE;
}

/* Finite numbers separated by one of the letters; returns how many, -1 if the text is anything else. value: [most]. */
static int read_numbers(const char *text, const char *separators, double *value, int most)
{
    int n = 0;
    for (const char *at = text;; ++at) {
        char *end = NULL;
        const double x = strtod(at, &end);
        /* strtod also takes blanks, names of infinity, and hexadecimal digits. */
        if (end == at || !isfinite(x) || n == most || (size_t)(end - at) != strspn(at, "+-.0123456789eE")) {
            return -1;
        }
        value[n++] = x;
        if (*end == '\0') {
            return n;
        }
        if (strchr(separators, *end) == NULL) {
            return -1;
        }
        at = end;
    }
}

static bool is_number(const char *text, double above)
{
    double x = 0.0;
    return text == NULL || (read_numbers(text, "", &x, 1) == 1 && x > above);
}

static bool is_list(const char *text, bool whole)
{
    static double value[MOMENTS_MAX];
    const int n = text != NULL ? read_numbers(text, ",", value, MOMENTS_MAX) : 0;
    for (int i = 0; i < n && whole; ++i) {
        if (value[i] != floor(value[i]) || fabs(value[i]) > 1e8) {
            return false;
        }
    }
    return n >= 0;
}

static int check_size(const cli_wish *wish)
{
    double v[2];
    if (wish->size != NULL &&
        (read_numbers(wish->size, "x,", v, 2) != 2 || !(fmin(v[0], v[1]) >= SIZE_MIN) ||
         !(fmax(v[0], v[1]) <= SIZE_MAX) || v[0] != floor(v[0]) || v[1] != floor(v[1]))) {
        return refuse("size", wish->size, "must be WIDTHxHEIGHT, from 16 to 8192 pixels each");
    }
    return CLI_PARSED;
}

static int check_range(const cli_wish *wish)
{
    double v[2];
    if (wish->range != NULL && strcmp(wish->range, "auto") != 0 &&
        (read_numbers(wish->range, ",", v, 2) != 2 || !(v[0] < v[1]))) {
        return refuse("range", wish->range, "must be LOW,HIGH with the lower value first, or auto");
    }
    if (wish->range != NULL && (wish->colour == NULL || strcmp(wish->colour, "body") == 0)) {
        return refuse("range", wish->range, "needs --colour with the name of a field");
    }
    return CLI_PARSED;
}

static int check_moments(const cli_wish *wish, bool film)
{
    if (film && (wish->time != NULL || wish->frame != NULL)) {
        return refuse(wish->time != NULL ? "time" : "frame", wish->time != NULL ? wish->time : wish->frame,
                      "is for pictures; a film has the whole run");
    }
    if (!film && (wish->fps != NULL || wish->speed != NULL)) {
        return refuse(wish->fps != NULL ? "fps" : "speed", wish->fps != NULL ? wish->fps : wish->speed,
                      "is for films (mp4)");
    }
    if (wish->time != NULL && wish->frame != NULL) {
        return refuse("frame", wish->frame, "either --time or --frame");
    }
    if (!is_list(wish->time, false)) {
        return refuse("time", wish->time, "must be times in seconds separated by commas");
    }
    if (wish->frame != NULL && strcmp(wish->frame, "all") != 0 && !is_list(wish->frame, true)) {
        return refuse("frame", wish->frame, "must be numbers of frames separated by commas, or all");
    }
    return CLI_PARSED;
}

int cli_wish_check(const cli_wish *wish, bool film)
{
    double v[2];
    int code = check_moments(wish, film);
    code = code == CLI_PARSED ? check_size(wish) : code;
    code = code == CLI_PARSED ? check_range(wish) : code;
    if (code != CLI_PARSED) {
        return code;
    }
    if (wish->view != NULL && read_numbers(wish->view, ",", v, 2) != 2) {
        return refuse("view", wish->view, "must be AZIMUTH,ELEVATION in degrees");
    }
    if (!is_number(wish->zoom, 0.0)) {
        return refuse("zoom", wish->zoom, "must be a number > 0");
    }
    if (!is_number(wish->scale, -INFINITY)) {
        return refuse("scale", wish->scale, "must be a number");
    }
    if (!is_number(wish->fps, 0.0) || (wish->fps != NULL && strtod(wish->fps, NULL) > 1000.0)) {
        return refuse("fps", wish->fps, "must be a number > 0, at most 1000");
    }
    if (!is_number(wish->speed, 0.0)) {
        return refuse("speed", wish->speed, "must be a number > 0");
    }
    return CLI_PARSED;
}

void cli_wish_size(const cli_wish *wish, bool film, int size[2])
{
    double v[2] = {960.0, 600.0};
    if (wish->size != NULL) {
        (void)read_numbers(wish->size, "x,", v, 2);
    }
    for (int i = 0; i < 2; ++i) {
        size[i] =
            (int)v[i] + (film && (int)v[i] % 2 != 0); /* colours of a film are stored for pairs of pixels */
    }
}

int cli_wish_moments(const cli_wish *wish)
{
    const char *list = wish->time != NULL ? wish->time : wish->frame;
    if (list != NULL && strcmp(list, "all") == 0) {
        return 0;
    }
    int n = 1;
    for (const char *at = list; at != NULL && *at != '\0'; ++at) {
        n += *at == ',';
    }
    return n;
}

void cli_wish_moment(const cli_wish *wish, int k, char *text, size_t size)
{
    const char *at = wish->time != NULL ? wish->time : wish->frame != NULL ? wish->frame : "";
    for (int i = 0; i < k; ++i) {
        at += strcspn(at, ",");
        at += *at == ',';
    }
    (void)snprintf(text, size, "%.*s", (int)strcspn(at, ","), at);
}

double cli_wish_fps(const cli_wish *wish)
{
    return wish->fps != NULL ? strtod(wish->fps, NULL) : fps_default;
}

double cli_wish_speed(const cli_wish *wish, double length)
{
    if (wish->speed != NULL) {
        return strtod(wish->speed, NULL);
    }
    static const double steps[] = {0.5, 0.4, 0.5}; /* 1, 0.5, 0.2, 0.1, ... */
    double speed = 1.0;
    for (int i = 0; i < 60 && length > 0.0 && length / speed < film_least; ++i) {
        speed *= steps[i % 3];
    }
    return speed;
}

/* ---- the address ----------------------------------------------------------------------------------------------------------- */

static void add_encoded(cli_text *address, const char *name, const char *value)
{
    cli_text_add(address, "&%s=", name);
    for (const unsigned char *c = (const unsigned char *)value; *c != '\0'; ++c) {
        const bool plain = (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                           strchr("-_.,:*", *c) != NULL;
        cli_text_add(address, plain ? "%c" : "%%%02X", *c);
    }
}

static void add_given(cli_text *address, const char *name, const char *value)
{
    if (value != NULL) {
        add_encoded(address, name, value);
    }
}

void cli_wish_address(const cli_wish *wish, bool panels, double speed, cli_text *address)
{
    const bool film = speed > 0.0;
    int size[2];
    cli_wish_size(wish, film, size);
    cli_text_add(address, "shoot=1&size=%dx%d", size[0], size[1]);
    if (film) {
        /* Shadows of bodies on each other would make it several times slower. */
        cli_text_add(address, "&sun=0&frames=all&fps=%.9g&speed=%.9g", cli_wish_fps(wish), speed);
    }
    if (panels) {
        cli_text_add(address, "&panels=1");
    }
    add_given(address, "times", wish->time);
    add_given(address, "frames", wish->frame);
    const struct {
        const char *name, *value;
    } plain[] = {{"view", wish->view},     {"fit", wish->fit},     {"zoom", wish->zoom},
                 {"colour", wish->colour}, {"range", wish->range}, {"scale", wish->scale},
                 {"hide", wish->hide},     {"ghost", wish->ghost}, {"cut", wish->cut},
                 {"paint", wish->paint},   {"turn", wish->turn},   {"title", wish->title},
                 {"theme", wish->theme}};
    for (int i = 0; i < CLI_COUNT(plain); ++i) {
        add_given(address, plain[i].name, plain[i].value);
    }
    const struct {
        const char *name;
        bool given;
    } flags[] = {{"patch", wish->patch},
                 {"contacts", wish->contacts},
                 {"wireframe", wish->wireframe},
                 {"axes", wish->axes}};
    for (int i = 0; i < CLI_COUNT(flags); ++i) {
        add_given(address, flags[i].name, flags[i].given ? "1" : NULL);
    }
    /* Side by side, runs are named by the labels. */
    for (int i = 0; i < wish->label.count && wish->beside.count == 0; ++i) {
        add_encoded(address, "label", wish->label.items[i]);
    }
}
