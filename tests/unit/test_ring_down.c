/* Ring-downs: synthetic traces of one and several modes, noise, uneven times, windows, what is refused; traces from text. */
#include "test.h"

#include "base/rng.h"
#include "faulty.h"
#include "study/ring_inner.h"

#include <brunt/study.h>
#include <sys/stat.h>

static const double PI = 3.14159265358979323846;
enum { ROOM = 8192 };

/* A trace under construction. */
typedef struct made {
    int count;
    double t[ROOM], y[ROOM];
    brn_rng rng;
} made;

static double normal(brn_rng *rng)
{
    const double u = brn_rng_uniform(rng, 1e-300, 1.0), v = brn_rng_uniform(rng, 0.0, 1.0);
    return sqrt(-2.0 * log(u)) * cos(2.0 * PI * v);
}

static void make_times(made *m, int count, double length)
{
    m->count = count;
    for (int i = 0; i < count; ++i) {
        m->t[i] = length * i / (count - 1);
        m->y[i] = 0.0;
    }
}

static void add_mode(made *m, double hertz, double decay, double size, double phase)
{
    for (int i = 0; i < m->count; ++i) {
        m->y[i] += size * exp(-decay * m->t[i]) * cos(2.0 * PI * hertz * m->t[i] + phase);
    }
}

static void add_noise(made *m, double size)
{
    for (int i = 0; i < m->count; ++i) {
        m->y[i] += size * normal(&m->rng);
    }
}

static brn_ring_options whole(void)
{
    brn_ring_options options = brn_ring_options_default();
    options.from = -INFINITY;
    return options;
}

static const brn_ring_mode *chosen(const brn_ring_down *fit)
{
    return &fit->mode[fit->chosen];
}

/* ---- without noise ---------------------------------------------------------------------------------------------------------- */

static void test_one(void **state)
{
    (void)state;
    static const double ratio[] = {0.0, 0.001, 0.05, 0.195, 0.4, 0.6};
    static const double periods[] = {1.7, 4.0, 60.0};
    static const double unit[] = {1e-6, 1.0, 1e4}; /* of time */
    static made m;
    brn_ctx *ctx = test_ctx(1);
    const brn_ring_options options = whole();
    for (int k = 0; k < 6 * 3 * 3; ++k) {
        const double z = ratio[k % 6], length = unit[k / 18];
        const double hertz = periods[k / 6 % 3] / length, decay = 2.0 * PI * hertz * z / sqrt(1.0 - z * z);
        brn_ring_down fit;
        make_times(&m, 900, length);
        add_mode(&m, hertz, decay, 1e-3, 0.7);
        for (int i = 0; i < m.count; ++i) {
            m.y[i] += 3e-3;
        }
        assert_done(ctx, brn_ring_down_fit(ctx, m.t, m.y, m.count, &options, &fit));
        assert_int_equal(fit.mode_count, 1);
        /* the offset's rounding is 4e-16 of the oscillation, enlarged by what little is seen of it */
        assert_near(chosen(&fit)->frequency, hertz, 1e-9 * hertz);
        assert_near(chosen(&fit)->decay, decay, 1e-9 * hertz);
        assert_near(chosen(&fit)->amplitude, 1e-3, 1e-11);
        assert_near(fit.offset, 3e-3, 1e-11);
        assert_near(brn_ring_down_at(&fit, m.t[300]), m.y[300], 1e-12);
        assert_true(fit.signal_noise > 150.0 && !fit.drifts && fit.decay_count == 0);
    }
    brn_ctx_destroy(ctx);
}

/* Products of derivatives, with each other and with the rest, do not depend on the basis in which they are told. */
static void test_derivatives(void **state)
{
    (void)state;
    static made m;
    static double plus[ROOM];
    static double slope[5][ROOM];
    const brn_ring_model model = {
        .modes = 2, .decays = 1, .drift = true, .rate = {20.0, 3.0, 51.0, 5.0, 8.0}};
    brn_ctx *ctx = test_ctx(1);
    brn_ring_fit fit;
    m.rng = (brn_rng){3};
    make_times(&m, 300, 1.0);
    add_mode(&m, 3.4, 2.5, 1.0, 0.3);
    add_mode(&m, 8.0, 4.0, 0.5, 1.0);
    add_noise(&m, 0.1);
    assert_done(ctx, brn_ring_fit_create(ctx, m.t, m.y, m.count, &fit));
    for (int k = 0; k < 5; ++k) {
        const double h = 1e-4;
        brn_ring_model moved = model;
        moved.rate[k] += h;
        assert_true(brn_ring_evaluate(&fit, &moved));
        memcpy(plus, fit.rest, (size_t)m.count * sizeof *plus);
        moved.rate[k] -= 2.0 * h;
        assert_true(brn_ring_evaluate(&fit, &moved));
        for (int i = 0; i < m.count; ++i) {
            slope[k][i] = (plus[i] - fit.rest[i]) / (2.0 * h);
        }
    }
    assert_true(brn_ring_evaluate(&fit, &model));
    brn_ring_derivatives(&fit, &model);
    for (int k = 0; k < 5; ++k) {
        for (int j = 0; j <= 5; ++j) {
            const double *other = j < 5 ? slope[j] : fit.rest;
            const double *turned = fit.turned + (size_t)(j < 5 ? j : BRN_RING_RATES) * (size_t)m.count;
            double numeric = 0.0;
            double exact = 0.0;
            double size = 0.0;
            for (int i = 0; i < m.count; ++i) {
                numeric += slope[k][i] * other[i];
                exact += fit.turned[(size_t)k * (size_t)m.count + (size_t)i] * turned[i];
                size += fabs(slope[k][i] * other[i]);
            }
            /* h^2 of the third derivative, about 1e-8 */
            assert_near(exact, numeric, 1e-6 * size);
        }
    }
    brn_ring_fit_clear(&fit);
    brn_ctx_destroy(ctx);
}

/* ---- several modes, noise ------------------------------------------------------------------------------------------------------ */

static void test_several(void **state)
{
    (void)state;
    static const double hertz[3] = {50.0, 52.0, 150.0}, decay[3] = {10.0, 4.0, 4.0},
                        size[3] = {1.0, 0.5, 0.3};
    static made m;
    brn_ctx *ctx = test_ctx(1);
    brn_ring_options options = whole();
    brn_ring_down fit;
    m.rng = (brn_rng){8};
    make_times(&m, 600, 0.5);
    for (int k = 0; k < 3; ++k) {
        add_mode(&m, hertz[k], decay[k], size[k], 0.5 * k);
    }
    for (int i = 0; i < m.count; ++i) {
        m.y[i] += -2.0 + 3.0 * m.t[i]; /* a drift */
    }
    add_noise(&m, 0.01);
    assert_done(ctx, brn_ring_down_fit(ctx, m.t, m.y, m.count, &options, &fit));
    assert_int_equal(fit.mode_count, 3);
    for (int k = 0; k < 3; ++k) {
        /* of six normal errors one in ten thousand is beyond 4.3 sigma */
        assert_near(fit.mode[k].frequency, hertz[k], 4.3 * fit.mode[k].frequency_error);
        assert_near(fit.mode[k].decay, decay[k], 4.3 * fit.mode[k].decay_error);
        assert_true(fit.mode[k].frequency_error < 0.05);
    }
    assert_true(fit.drifts);
    assert_near(fit.drift, 3.0, 0.03);
    assert_near(fit.noise, 0.01, 0.001);
    /* which is taken */
    assert_int_equal(fit.chosen, 0);
    options.pick = BRN_RING_NEAREST;
    options.near = 140.0;
    assert_done(ctx, brn_ring_down_fit(ctx, m.t, m.y, m.count, &options, &fit));
    assert_int_equal(fit.chosen, 2);
    make_times(&m, 600, 0.5);
    add_mode(&m, 20.0, 5.0, 0.3, 0.0);
    add_mode(&m, 90.0, 5.0, 1.0, 0.0);
    options.pick = BRN_RING_LOWEST;
    assert_done(ctx, brn_ring_down_fit(ctx, m.t, m.y, m.count, &options, &fit));
    assert_near(chosen(&fit)->frequency, 20.0, 1e-6);
    options.pick = BRN_RING_STRONGEST;
    assert_done(ctx, brn_ring_down_fit(ctx, m.t, m.y, m.count, &options, &fit));
    assert_near(chosen(&fit)->frequency, 90.0, 1e-6);
    brn_ctx_destroy(ctx);
}

/* A stiff mode that creeps back beside one that rings: what a heavily damped beam shows after it is let go. */
static void test_creep(void **state)
{
    (void)state;
    static made m;
    brn_ctx *ctx = test_ctx(1);
    brn_ring_options options = whole();
    brn_ring_down fit;
    make_times(&m, 1000, 0.0107);
    add_mode(&m, 371.89, 465.5, 1.0, 0.2);
    for (int i = 0; i < m.count; ++i) {
        m.y[i] += -0.03 * exp(-6100.0 * m.t[i]);
    }
    assert_done(ctx, brn_ring_down_fit(ctx, m.t, m.y, m.count, &options, &fit));
    assert_int_equal(fit.decay_count, 1);
    assert_near(fit.decay[0], 6100.0, 1e-3);
    assert_near(chosen(&fit)->frequency, 371.89, 1e-7);
    assert_near(chosen(&fit)->decay, 465.5, 1e-6);
    brn_ctx_destroy(ctx);
}

/* Errors are as large as they are said to be, and none is far off. Signal to noise as root mean squares over the window. */
static void test_noise(void **state)
{
    (void)state;
    enum { SEEDS = 40 };
    static const double level[] = {40.0, 20.0, 10.0}, ratio[] = {0.01, 0.195};
    static made m;
    brn_ctx *ctx = test_ctx(1);
    const brn_ring_options options = whole();
    for (int k = 0; k < 6; ++k) {
        const double z = ratio[k / 3], hertz = 8.0, decay = 2.0 * PI * hertz * z / sqrt(1.0 - z * z);
        double sum[2] = {0.0, 0.0};
        double worst = 0.0;
        for (int seed = 0; seed < SEEDS; ++seed) {
            brn_ring_down fit;
            double power = 0.0;
            m.rng = (brn_rng){(uint64_t)(1000 * k + seed)};
            make_times(&m, 400, 0.5);
            add_mode(&m, hertz, decay, 1.0, 0.4);
            for (int i = 0; i < m.count; ++i) {
                power += m.y[i] * m.y[i] / m.count;
            }
            add_noise(&m, sqrt(power) * pow(10.0, -level[k % 3] / 20.0));
            assert_done(ctx, brn_ring_down_fit(ctx, m.t, m.y, m.count, &options, &fit));
            const double off[2] = {(chosen(&fit)->frequency - hertz) / chosen(&fit)->frequency_error,
                                   (chosen(&fit)->decay - decay) / chosen(&fit)->decay_error};
            for (int j = 0; j < 2; ++j) {
                sum[j] += off[j] * off[j] / SEEDS;
                worst = fmax(worst, fabs(off[j]));
            }
            assert_near(fit.signal_noise, level[k % 3], 1.5); /* of 400 samples */
        }
        print_message(
            "ratio %.3f, %2.0f dB: errors over standard errors: root mean square %.2f %.2f, worst %.2f\n", z,
            level[k % 3], sqrt(sum[0]), sqrt(sum[1]), worst);
        /* 40 normal numbers: mean square 1 +- 0.22, so 4 of that; and none in 480 beyond 4.5 */
        assert_true(sum[0] < 1.9 && sum[1] < 1.9 && sum[0] > 0.3 && sum[1] > 0.3 && worst < 4.5);
    }
    brn_ctx_destroy(ctx);
}

/* Noise that is not white makes errors larger, and they say so. */
static void test_coloured(void **state)
{
    (void)state;
    enum { SEEDS = 40 };
    static made m;
    brn_ctx *ctx = test_ctx(1);
    brn_ring_options options = whole();
    options.modes = 1;
    double sum = 0.0;
    for (int seed = 0; seed < SEEDS; ++seed) {
        brn_ring_down fit;
        double last = 0.0;
        m.rng = (brn_rng){(uint64_t)(seed + 50)};
        make_times(&m, 1000, 1.0);
        add_mode(&m, 8.0, 1.0, 1.0, 0.4);
        for (int i = 0; i < m.count; ++i) {
            last = 0.9 * last + 0.01 * normal(&m.rng);
            m.y[i] += last;
        }
        assert_done(ctx, brn_ring_down_fit(ctx, m.t, m.y, m.count, &options, &fit));
        assert_true(fit.correlation > 5.0 && fit.correlation < 40.0); /* (1 + 0.9)/(1 - 0.9) = 19 */
        sum += pow((chosen(&fit)->frequency - 8.0) / chosen(&fit)->frequency_error, 2) / SEEDS;
    }
    print_message("coloured noise: error over standard error %.2f\n", sqrt(sum));
    assert_true(sum < 2.5); /* as white noise it would be 19 */
    brn_ctx_destroy(ctx);
}

static void test_uneven(void **state)
{
    (void)state;
    static made m;
    brn_ctx *ctx = test_ctx(1);
    const brn_ring_options options = whole();
    brn_ring_down fit;
    m.rng = (brn_rng){21};
    make_times(&m, 400, 1.0);
    for (int i = 0; i < m.count; ++i) {
        /* from dense to sparse, and each one somewhere in its place */
        const double part = (i + brn_rng_uniform(&m.rng, 0.0, 0.8)) / m.count;
        m.t[i] = 0.5 * (part + part * part);
    }
    add_mode(&m, 6.0, 4.0, 1.0, 0.3);
    add_mode(&m, 17.0, 3.0, 0.2, 0.3);
    assert_done(ctx, brn_ring_down_fit(ctx, m.t, m.y, m.count, &options, &fit));
    assert_int_equal(fit.mode_count, 2);
    assert_near(fit.mode[0].frequency, 6.0, 1e-9);
    assert_near(fit.mode[0].decay, 4.0, 1e-8);
    assert_near(fit.mode[1].frequency, 17.0, 1e-8);
    brn_ctx_destroy(ctx);
}

/* ---- windows -------------------------------------------------------------------------------------------------------------------- */

static void test_window(void **state)
{
    (void)state;
    static made m;
    brn_ctx *ctx = test_ctx(1);
    brn_ring_options options = brn_ring_options_default();
    brn_ring_down fit;
    m.rng = (brn_rng){4};
    /* held for a while, with noise, then let go at 0.3 s */
    make_times(&m, 1000, 1.0);
    for (int i = 0; i < m.count; ++i) {
        const double s = fmax(m.t[i] - 0.3, 0.0);
        m.y[i] = 5.0 + 2.0 * exp(-4.0 * s) * cos(2.0 * PI * 12.0 * s);
    }
    add_noise(&m, 0.02);
    assert_done(ctx, brn_ring_down_fit(ctx, m.t, m.y, m.count, &options, &fit));
    assert_near(fit.start, 0.3, 0.01);
    assert_near(chosen(&fit)->frequency, 12.0, 4.0 * chosen(&fit)->frequency_error);
    /* quiet, then struck at 0.2 s: the window starts where it is largest */
    make_times(&m, 1000, 1.0);
    for (int i = 0; i < m.count; ++i) {
        const double s = m.t[i] - 0.2;
        m.y[i] = s < 0.0 ? 0.0 : exp(-4.0 * s) * sin(2.0 * PI * 12.0 * s);
    }
    assert_done(ctx, brn_ring_down_fit(ctx, m.t, m.y, m.count, &options, &fit));
    assert_near(fit.start, 0.2 + 0.25 / 12.0, 0.003);
    assert_near(chosen(&fit)->decay, 4.0, 1e-6);
    /* as asked for */
    options.from = 0.35;
    options.to = 0.8;
    assert_done(ctx, brn_ring_down_fit(ctx, m.t, m.y, m.count, &options, &fit));
    assert_true(fit.start >= 0.35 && fit.start < 0.352 && fit.end <= 0.8 && fit.end > 0.798);
    assert_near(chosen(&fit)->frequency, 12.0, 1e-8);
    assert_int_equal(fit.samples, (int)lround((fit.end - fit.start) * 999.0) + 1);
    /* nothing in it */
    options.from = 0.9;
    assert_int_equal(brn_ring_down_fit(ctx, m.t, m.y, m.count, &options, &fit), BRN_ERR_MISSING);
    assert_int_equal(fit.samples, 0);
    brn_ctx_destroy(ctx);
}

/* Held, let go and hardly damped, with noise of a tenth of the signal: the crests are as high as the hold, and noise is higher than both. */
static void test_held_long(void **state)
{
    (void)state;
    static made m;
    brn_ctx *ctx = test_ctx(1);
    brn_ring_down fit;
    for (int seed = 0; seed < 30; ++seed) {
        const double frequency = 20.0 + seed, hold = 0.05 + 0.01 * seed;
        m.rng = (brn_rng){100 + (uint64_t)seed};
        make_times(&m, 1000 + 30 * seed, 1.0);
        for (int i = 0; i < m.count; ++i) {
            const double s = fmax(m.t[i] - hold, 0.0);
            m.y[i] = (seed % 2 == 0 ? 3.0 : -3.0) * exp(-1.5 * s) * cos(2.0 * PI * frequency * s);
        }
        add_noise(&m, 0.18);
        assert_done(ctx, brn_ring_down_fit(ctx, m.t, m.y, m.count, NULL, &fit));
        assert_true(fit.start >= hold - 1e-3);
        assert_near(chosen(&fit)->frequency, frequency, 4.5 * chosen(&fit)->frequency_error);
        assert_near(chosen(&fit)->decay, 1.5, 4.5 * chosen(&fit)->decay_error);
        assert_true(chosen(&fit)->frequency_error < 0.02);
    }
    brn_ctx_destroy(ctx);
}

static void refused(brn_ctx *ctx, const made *m, const char *reason)
{
    brn_ring_down fit;
    assert_int_equal(brn_ring_down_fit(ctx, m->t, m->y, m->count, NULL, &fit), BRN_ERR_MISSING);
    if (strstr(brn_ctx_message(ctx), reason) == NULL) {
        fail_msg("wanted '%s', got '%s'", reason, brn_ctx_message(ctx));
    }
    assert_int_equal(fit.mode_count, 0);
}

/* Drifts that wander about: sums of oscillations come near to them, but nothing rings. */
static void test_wandering(void **state)
{
    (void)state;
    static made m;
    brn_ctx *ctx = test_ctx(1);
    int taken = 0;
    for (int seed = 0; seed < 24; ++seed) {
        double at = 0.0;
        m.rng = (brn_rng){500 + (uint64_t)seed};
        make_times(&m, seed % 2 == 0 ? 1000 : 300, 1.0);
        for (int i = 0; i < m.count; ++i) {
            at = (seed % 3 == 0 ? 0.97 : 1.0) * at + normal(&m.rng);
            m.y[i] = at;
        }
        brn_ring_down fit;
        taken += brn_ring_down_fit(ctx, m.t, m.y, m.count, NULL, &fit) == BRN_OK;
    }
    print_message("a ring-down in %d of 24 drifts\n", taken);
    assert_true(taken <= 2); /* without a look at what is left: in half of them */
    brn_ctx_destroy(ctx);
}

/* A trace that has hardly rung down, or drifts, is largest anywhere: nearly all of it is the window. */
static void test_long(void **state)
{
    (void)state;
    static made m;
    brn_ctx *ctx = test_ctx(1);
    brn_ring_down fit;
    m.rng = (brn_rng){8};
    for (int kind = 0; kind < 3; ++kind) {
        make_times(&m, 1000, 1.0);
        add_mode(&m, 12.0, 0.05, 1.0, 0.4);
        add_noise(&m, 0.05);
        for (int i = 0; i < m.count; ++i) {
            m.y[i] += kind == 1 ? m.t[i] : 0.0;                        /* drift */
            m.y[i] = kind == 2 ? round(40.0 * m.y[i]) / 40.0 : m.y[i]; /* digits */
        }
        assert_done(ctx, brn_ring_down_fit(ctx, m.t, m.y, m.count, NULL, &fit));
        assert_true(fit.start < 0.1);
        assert_near(chosen(&fit)->frequency, 12.0, 4.0 * chosen(&fit)->frequency_error);
        assert_near(chosen(&fit)->decay, 0.05, 4.0 * chosen(&fit)->decay_error);
    }
    brn_ctx_destroy(ctx);
}

/* An instrument that cannot show the first swings. */
static void test_clipped(void **state)
{
    (void)state;
    static made m;
    brn_ctx *ctx = test_ctx(1);
    brn_ring_down fit;
    for (int noise = 0; noise < 2; ++noise) {
        m.rng = (brn_rng){9};
        make_times(&m, 1000, 1.0);
        add_mode(&m, 12.0, 3.0, 1.0, 0.4);
        add_noise(&m, 0.01 * noise);
        int last = 0;
        for (int i = 0; i < m.count; ++i) {
            last = fabs(m.y[i]) > 0.6 ? i : last;
            m.y[i] = fmax(-0.6, fmin(0.6, m.y[i]));
        }
        assert_done(ctx, brn_ring_down_fit(ctx, m.t, m.y, m.count, NULL, &fit));
        assert_true(fit.first >= last && fit.first < last + 8); /* and 2 beta later */
        assert_near(chosen(&fit)->decay, 3.0, 4.0 * chosen(&fit)->decay_error + 0.01);
    }
    make_times(&m, 1000, 1.0);
    add_mode(&m, 12.0, 0.05, 1.0, 0.4);
    for (int i = 0; i < m.count; ++i) {
        m.y[i] = fmax(-0.6, fmin(0.6, m.y[i]));
    }
    refused(ctx, &m, "clipped");
    brn_ctx_destroy(ctx);
}

/* The average-acceleration rule, step by step, and its shift taken out. */
static void test_unshift(void **state)
{
    (void)state;
    static made m;
    brn_ctx *ctx = test_ctx(1);
    const brn_ring_options options = whole();
    brn_ring_down fit;
    const double w = 40.0, z = 0.1, h = 0.02;
    double u = 1.0;
    double v = 0.0;
    double a = -w * w * u - 2.0 * z * w * v;
    make_times(&m, 200, 199.0 * h);
    for (int i = 0; i < m.count; ++i) {
        m.y[i] = u;
        const double from = u + h * v + 0.25 * h * h * a, speed = v + 0.5 * h * a;
        const double next = (-w * w * from - 2.0 * z * w * speed) / (1.0 + z * w * h + 0.25 * h * h * w * w);
        u = from + 0.25 * h * h * next;
        v = speed + 0.5 * h * next;
        a = next;
    }
    assert_done(ctx, brn_ring_down_fit(ctx, m.t, m.y, m.count, &options, &fit));
    brn_ring_mode mode = *chosen(&fit);
    const double exact = w * sqrt(1.0 - z * z) / (2.0 * PI);
    assert_true(mode.frequency < 0.97 * exact); /* (w h)^2/12 is 5 % */
    brn_ring_mode_unshift(&mode, h);
    assert_near(mode.frequency, exact, 1e-8 * exact);
    assert_near(mode.decay, z * w, 1e-7);
    brn_ctx_destroy(ctx);
}

/* ---- what is refused ---------------------------------------------------------------------------------------------------------------- */

static void test_refusals(void **state)
{
    (void)state;
    static made m;
    brn_ctx *ctx = test_ctx(1);
    m.rng = (brn_rng){77};
    make_times(&m, 500, 1.0);
    refused(ctx, &m, "the trace is constant, 0");
    for (int i = 0; i < m.count; ++i) {
        m.y[i] = 7.0 + 3.0 * m.t[i];
    }
    refused(ctx, &m, "a straight line");
    for (int noise = 0; noise < 2; ++noise) {
        for (int i = 0; i < m.count; ++i) {
            m.y[i] = 7.0 + 3.0 * exp(-6.0 * m.t[i]) + 0.05 * noise * normal(&m.rng);
        }
        refused(ctx, &m, "decays without one");
        for (int i = 0; i < m.count; ++i) { /* overdamped */
            m.y[i] = 1.2 * exp(-6.0 * m.t[i]) - 0.5 * exp(-20.0 * m.t[i]) + 0.005 * noise * normal(&m.rng);
        }
        refused(ctx, &m, "decays without one");
    }
    make_times(&m, 500, 1.0);
    add_mode(&m, 0.9, 0.5, 1.0, 0.0);
    refused(ctx, &m, "too short: the window");
    make_times(&m, 500, 1.0);
    add_mode(&m, 220.0, 3.0, 1.0, 0.0);
    refused(ctx, &m, "under-sampled");
    make_times(&m, 500, 1.0);
    add_mode(&m, 10.0, -2.0, 1.0, 0.0);
    refused(ctx, &m, "grows"); /* it is largest at its end */
    make_times(&m, 10, 1.0);
    add_mode(&m, 2.0, 1.0, 1.0, 0.0);
    refused(ctx, &m, "too short: 10 of the 10 samples");
    brn_ctx_destroy(ctx);
}

static void test_white_noise(void **state)
{
    (void)state;
    enum { SEEDS = 150 };
    static made m;
    brn_ctx *ctx = test_ctx(1);
    const brn_ring_options options = whole();
    int found = 0;
    for (int seed = 0; seed < SEEDS; ++seed) {
        brn_ring_down fit;
        m.rng = (brn_rng){(uint64_t)seed};
        make_times(&m, 40 + 3 * seed, 1.0);
        add_noise(&m, 1.0);
        found += brn_ring_down_fit(ctx, m.t, m.y, m.count, &options, &fit) >= 0;
    }
    print_message("modes in %d of %d white noises\n", found, SEEDS);
    /* the score allows about 1/(4 n) each, 0.3 in all: more than 3 has a probability of 3e-4 */
    assert_true(found <= 3);
    brn_ctx_destroy(ctx);
}

static void test_ranges(void **state)
{
    (void)state;
    static made m;
    brn_ctx *ctx = test_ctx(1);
    brn_ring_options options = whole();
    brn_ring_down fit;
    make_times(&m, 100, 1.0);
    add_mode(&m, 5.0, 1.0, 1.0, 0.0);
    options.modes = 0;
    assert_int_equal(brn_ring_down_fit(ctx, m.t, m.y, 100, &options, &fit), BRN_ERR_RANGE);
    options.modes = BRN_RING_MODES + 1;
    assert_int_equal(brn_ring_down_fit(ctx, m.t, m.y, 100, &options, &fit), BRN_ERR_RANGE);
    options = whole();
    options.pick = BRN_RING_NEAREST;
    assert_int_equal(brn_ring_down_fit(ctx, m.t, m.y, 100, &options, &fit), BRN_ERR_RANGE);
    assert_int_equal(brn_ring_down_fit(ctx, m.t, m.y, 0, NULL, &fit), BRN_ERR_RANGE);
    m.y[50] = NAN;
    assert_int_equal(brn_ring_down_fit(ctx, m.t, m.y, 100, NULL, &fit), BRN_ERR_RANGE);
    assert_non_null(strstr(brn_ctx_message(ctx), "sample 51"));
    m.y[50] = 0.0;
    m.t[50] = m.t[49];
    assert_int_equal(brn_ring_down_fit(ctx, m.t, m.y, 100, NULL, &fit), BRN_ERR_RANGE);
    assert_non_null(strstr(brn_ctx_message(ctx), "sample 51: time"));
    assert_true(isnan(brn_ring_down_at(NULL, 0.0)));
    brn_ctx_destroy(ctx);
}

/* ---- traces from text ------------------------------------------------------------------------------------------------------------------ */

static brn_status parse(brn_ctx *ctx, const char *text, const char *time, const char *value, brn_trace **out)
{
    const brn_trace_options options = {.time = time, .value = value};
    return brn_trace_parse(ctx, text, strlen(text), "a.csv", &options, out);
}

static void reads(brn_ctx *ctx, const char *text, const char *time, const char *value, const char *column)
{
    brn_trace *trace = NULL;
    const double *t = NULL;
    const double *y = NULL;
    assert_done(ctx, parse(ctx, text, time, value, &trace));
    assert_int_equal(brn_trace_samples(trace, &t, &y), 3);
    for (int i = 0; i < 3; ++i) {
        assert_near(t[i], 0.5 * i, 1e-15);
        assert_near(y[i], 1.5 - i, 1e-15);
    }
    assert_string_equal(brn_trace_column(trace), column);
    brn_trace_close(trace);
}

static void test_trace(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    reads(ctx, "0,1.5\n0.5,0.5\n1,-0.5\n", NULL, NULL, "");
    reads(ctx, "0,1.5\n0.5,0.5\n1,-0.5", NULL, NULL, "");
    reads(ctx, "0;1,5\r\n0,5;0,5\r\n1,0;-0,5\r\n", NULL, NULL, "");
    reads(ctx, "# made by hand\n  0\t1.5\n\n0.5\t0.5 % here\n1\t-5e-1\n", NULL, NULL, "");
    reads(ctx, " 0   1.5\n 0.5 \t 0.5\n1 -0.5  \n", NULL, NULL, "");
    reads(ctx, "\xef\xbb\xbftime,x\n0,1.5\n0.5,0.5\n1,-0.5\n", NULL, NULL, "x");
    reads(ctx, "x,Time\n1.5,0\n0.5,0.5\n-0.5,1\n", NULL, NULL, "x");
    reads(ctx, "\"time\",\"tip, upper\"\ns,mm\n0,1.5\n0.5,0.5\n1,-0.5\n", NULL, NULL, "tip, upper");
    reads(ctx, "n,t,a,b\n1,0,9,1.5\n2,0.5,9,0.5\n3,1,,-0.5\n", NULL, "b", "b");
    reads(ctx, "n,t,a,b\n1,0,9,1.5\n2,0.5,9,0.5\n3,1,,-0.5\n", "2", "4", "b");
    reads(ctx, "1,0,9,1.5\n2,0.5,9,0.5\n3,1,,-0.5\n", "2", "4", "");
    /* times in other units, by the name of their column or a line of units */
    reads(ctx, "Time [ms];x\n0;1,5\n500;0,5\n1000;-0,5\n", NULL, NULL, "x");
    reads(ctx, "x\tt (\xc2\xb5s)\n1.5\t0\n0.5\t5e5\n-0.5\t1e6\n", NULL, NULL, "x");
    reads(ctx, "Zeit,Weg\n[ms],[mm]\n0,1.5\n500,0.5\n1000,-0.5\n", NULL, NULL, "Weg");
    reads(ctx, "a,b\nfirst,second\nms,V\n0,1.5\n500,0.5\n1000,-0.5\n", NULL, NULL, "b");
    reads(ctx, "time [s],x (mm)\n0,1.5\n0.5,0.5\n1,-0.5\n", NULL, NULL, "x (mm)");
    /* rows without a value are left out */
    reads(ctx, "t,x\n0,1.5\n0.2,\n0.3,nan\n0.5,0.5\n,3\n1,-0.5\n", NULL, NULL, "x");
    (void)mkdir("ring_down_run", 0777);
    test_write_file("ring_down_run/series.csv", "time,tip.x\n0.0,1.5\n0.5,0.5\n1.0,-0.5\n");
    brn_trace *trace = NULL;
    assert_done(ctx, brn_trace_read(ctx, "ring_down_run", NULL, &trace));
    assert_int_equal(brn_trace_samples(trace, NULL, NULL), 3);
    brn_trace_close(trace);
    assert_int_equal(brn_trace_read(ctx, "ring_down_absent.csv", NULL, &trace), BRN_ERR_FILE);
    brn_ctx_destroy(ctx);
}

static void test_bad_traces(void **state)
{
    (void)state;
    static const struct {
        const char *text, *time, *value, *message;
    } bad[] = {
        {"", NULL, NULL, "there is nothing in it"},
        {"# only this\n\n", NULL, NULL, "there is nothing in it"},
        {"1\n2\n", NULL, NULL, "one column"},
        {"time [samples],x\n0,1\n", NULL, NULL,
         "a.csv:1: column 'time [samples]': times are wanted in s, ms, us or ns"},
        {"t,x\n0,1\n1,abc\n", NULL, NULL, "a.csv:3: column 2: expected a number, found 'abc'"},
        {"t,x\n0,1\n1,inf\n", NULL, NULL, "a.csv:3: column 2: expected a number"},
        {"t,x\n0,1\n0,2\n", NULL, NULL, "a.csv:3: time 0 does not come after 0"},
        {"t,x\n0,1\n1\n", NULL, NULL, "a.csv:3: 1 column, column 2 is wanted"},
        {"t,tip.x,tip.y\n0,1,2\n", NULL, NULL,
         "3 columns: say which of them holds the samples: t, tip.x, tip.y"},
        {"0,1,2\n", NULL, NULL, "by its number"},
        {"t,tip.x,tip.y\n0,1,2\n", NULL, "tip.u", "did you mean 'tip.x'?"},
        {"t,tip.x,tip.y\n0,1,2\n", NULL, "voltage", "the columns are t, tip.x, tip.y"},
        {"t,x\n0,1\n", NULL, "3", "there is no column 3, the columns are 1 to 2"},
        {"t,x\n0,1\n", "x", "x", "the same column"},
        {"0,1\n", NULL, "x", "the columns have no names"},
    };
    brn_ctx *ctx = test_ctx(1);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        brn_trace *trace = NULL;
        assert_int_equal(parse(ctx, bad[k].text, bad[k].time, bad[k].value, &trace), BRN_ERR_FORMAT);
        assert_null(trace);
        if (strstr(brn_ctx_message(ctx), bad[k].message) == NULL) {
            fail_msg("wanted '%s', got '%s'", bad[k].message, brn_ctx_message(ctx));
        }
    }
    brn_ctx_destroy(ctx);
}

/* ---- memory ------------------------------------------------------------------------------------------------------------------------------- */

static brn_status all_calls(brn_ctx *ctx, void *arg)
{
    const made *m = arg;
    brn_ring_down fit;
    brn_trace *trace = NULL;
    brn_status status = brn_ring_down_fit(ctx, m->t, m->y, m->count, NULL, &fit);
    status = status < 0 ? status : brn_trace_read(ctx, "ring_down_run", NULL, &trace);
    brn_trace_close(trace);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    static made m;
    make_times(&m, 200, 1.0);
    add_mode(&m, 8.0, 3.0, 1.0, 0.0);
    assert_true(faulty_run(all_calls, &m, 0) > 10);
}

/* Of thousands of allocations every 29th fails in turn; the scene is then what it was. */
static void test_calibrate_memory(void **state)
{
    (void)state;
    static const char text[] =
        "brunt: 1\ntime: {step: 1, end: 1}\nmethod: none\n"
        "materials: {m: {type: linear, young: 1e6, poisson: 0.3, density: 1000, damping: "
        "{alpha: 0, beta: 0}}}\n"
        "meshes: {a: {box: {size: [1, 1, 1], cells: [1, 1, 1], element: hex8}}}\n"
        "bodies: [{name: b, type: deformable, mesh: a, material: m}]\n"
        "fixed: [{body: b, where: {face: -z}}]\n";
    const brn_ring_mode mode = {.frequency = 3.0, .decay = 0.5, .frequency_error = 0.1, .decay_error = 0.1};
    bool failed = true;
    int failures = 0;
    for (long k = 0; failed && k < 1000000; k += 29) {
        faulty f;
        brn_ctx *ctx = faulty_ctx(&f, 1);
        brn_scene *scene = NULL;
        brn_calibration found;
        brn_calibrated_list *list = NULL;
        char *before = NULL;
        char *after = NULL;
        assert_done(ctx, brn_scene_parse(ctx, text, strlen(text), "cube.yaml", &scene));
        assert_done(ctx, brn_scene_write(scene, &before));
        f.fail_at = f.calls + k;
        const brn_status status = brn_calibrate(ctx, scene, &mode, NULL, &found, &list);
        failed = f.calls > f.fail_at;
        f.fail_at = -1;
        assert_int_equal(status, failed ? BRN_ERR_MEMORY : BRN_OK);
        assert_true((list != NULL) == !failed && (found.factor > 0.0) == !failed);
        assert_done(ctx, brn_scene_write(scene, &after));
        assert_true((strcmp(before, after) == 0) == failed);
        failures += failed;
        brn_ctx_free(ctx, before);
        brn_ctx_free(ctx, after);
        brn_calibrated_destroy(list);
        brn_scene_destroy(scene);
        brn_ctx_destroy(ctx);
        assert_int_equal(f.alive, 0);
    }
    assert_true(failures > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one),         cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_several),     cmocka_unit_test(test_creep),
        cmocka_unit_test(test_noise),       cmocka_unit_test(test_coloured),
        cmocka_unit_test(test_uneven),      cmocka_unit_test(test_window),
        cmocka_unit_test(test_long),        cmocka_unit_test(test_held_long),
        cmocka_unit_test(test_wandering),   cmocka_unit_test(test_clipped),
        cmocka_unit_test(test_unshift),     cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_white_noise), cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_trace),       cmocka_unit_test(test_bad_traces),
        cmocka_unit_test(test_memory),      cmocka_unit_test(test_calibrate_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
