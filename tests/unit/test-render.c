/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pipeline over a codec that does what its file says. */
#include "config.h"

#include "core/th-render.h"

#include <math.h>
#include <string.h>

#include "core/th-codec.h"

#define MAGIC "FAKE"

/* The file, as it lies in memory. */
typedef struct
{
  char magic[4];
  ThSize size;
  guint orientation;
  gboolean scalable;
  ThStatus open_status;
  gboolean plan_fails;
  ThRaster raster; /* width 0: as large as the picture, 8-bit RGB */
  gboolean bottom_up;
  guint64 peak_bytes;
  guint32 rows; /* pushed */
  ThStatus decode_status;
  guint *closed; /* counted up */
} Fake;

typedef struct
{
  ThSession session;
  ThHeader header;
  Fake fake;
} FakeSession;

static ThStatus
fake_open (ThInput *input, const ThLimits *limits, ThSession **session, GError **error)
{
  FakeSession *made;
  Fake fake;

  g_assert_cmpint (th_input_read (input, 0, &fake, sizeof fake), ==, sizeof fake);
  if (fake.open_status != TH_STATUS_OK)
    return fake.open_status;
  made = g_new0 (FakeSession, 1);
  made->fake = fake;
  made->header = (ThHeader){ .size = fake.size,
                             .orientation = fake.orientation,
                             .scalable = fake.scalable,
                             .pages = 3,
                             .frames = 2,
                             .duration = 1.5,
                             .mime_type = "image/x-fake" };
  *session = &made->session;
  return TH_STATUS_OK;
}

static const ThHeader *
fake_header (const ThSession *session)
{
  return &((const FakeSession *) session)->header;
}

static gboolean
fake_plan (ThSession *session, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  const Fake *fake = &((FakeSession *) session)->fake;
  ThSize size = fake->scalable ? targets[0] : fake->size;
  const ThRaster natural = { size.width,   size.height,   size.width, size.height,
                             TH_COLOR_RGB, TH_ALPHA_NONE, 8 };

  *plan = (ThPlan){ .raster = fake->raster.width > 0 ? fake->raster : natural,
                    .bottom_up = fake->bottom_up,
                    .peak_bytes = fake->peak_bytes };
  return !fake->plan_fails;
}

/* Dark, but the first quarter of the first rows pushed is light. */
static ThStatus
fake_decode (ThSession *session, const ThPlan *plan, ThSink *sink, GError **error)
{
  const Fake *fake = &((FakeSession *) session)->fake;
  const gsize bytes = th_raster_row_bytes (&plan->raster);
  g_autofree guint8 *row = g_malloc0 (bytes);

  for (guint32 y = 0; y < fake->rows; y++)
    {
      memset (row, y < plan->raster.height / 2 ? 255 : 0, bytes / 2);
      if (!sink->rows (sink, row, bytes, 1))
        return TH_STATUS_STOPPED;
    }
  return fake->decode_status;
}

static void
fake_close (ThSession *session)
{
  FakeSession *own = (FakeSession *) session;

  ++*own->fake.closed;
  g_free (own);
}

static const char *const fake_types[] = { "image/x-fake", NULL };
static const ThMagic fake_magic[] = { { 0, 4, MAGIC, NULL }, { 0, 0, NULL, NULL } };
static const ThCodec fake_codec = {
  .abi = TH_CODEC_ABI,
  .name = "fake",
  .mime_types = fake_types,
  .magic = fake_magic,
  .open = fake_open,
  .header = fake_header,
  .plan = fake_plan,
  .decode = fake_decode,
  .close = fake_close,
};

const ThCodec *const th_codecs[] = { &fake_codec, NULL };

static Fake
fake_picture (guint32 width, guint32 height, guint *closed)
{
  return (Fake){ .magic = { 'F', 'A', 'K', 'E' },
                 .size = { width, height },
                 .orientation = 1,
                 .rows = height,
                 .closed = closed };
}

static ThStatus
open_input (ThInput *input, const ThLimits *limits, ThRender **render, GError **error)
{
  static const guint32 boxes[] = { 64, 16 };

  return th_render_open (input, limits, boxes, G_N_ELEMENTS (boxes), NULL, render, error);
}

/* Pixels of both boxes, or the status that came instead of them. */
typedef struct
{
  ThStatus status;
  GError *error;
  ThRenderPlan plan;
  ThImage images[2];
} Outcome;

static void
outcome_clear (Outcome *outcome)
{
  g_clear_error (&outcome->error);
  g_free (outcome->images[0].data);
  g_free (outcome->images[1].data);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Outcome, outcome_clear)

static ThImage
image_for (const ThRenderPlan *plan, guint32 box)
{
  const ThSize size = plan->scalable ? th_fit_scalable (plan->full, box) : th_fit (plan->full, box);
  const gsize stride = size.width * plan->channels + 3;

  return (ThImage){ size, plan->channels, stride, g_malloc0 (stride * size.height) };
}

/* Opens, runs, closes; whatever happened, the session is closed just once if it was opened. */
static Outcome
render_fake (const Fake *fake, const ThLimits *limits)
{
  g_autoptr (ThInput) input = th_input_new_bytes (fake, sizeof *fake);
  ThRender *render = NULL;
  Outcome outcome = { 0 };
  ThLimits defaults;

  th_limits_init (&defaults);
  *fake->closed = 0;
  outcome.status = open_input (input, limits != NULL ? limits : &defaults, &render, &outcome.error);
  if (outcome.status == TH_STATUS_OK)
    {
      outcome.plan = *th_render_plan (render);
      outcome.images[0] = image_for (&outcome.plan, 64);
      outcome.images[1] = image_for (&outcome.plan, 16);
      outcome.status = th_render_run (render, outcome.images, &outcome.error);
      th_render_free (render);
    }
  else
    g_assert_null (render);
  g_assert_cmpuint (*fake->closed, ==, fake->open_status == TH_STATUS_OK ? 1 : 0);
  g_assert_true ((outcome.error == NULL) == th_status_has_pixels (outcome.status));
  if (outcome.error != NULL)
    {
      g_assert_true (outcome.error->domain == TH_ERROR);
      g_assert_cmpint (outcome.error->code, ==, th_status_to_error (outcome.status));
    }
  return outcome;
}

/* Which corner is light: 0 top left, 1 top right, 2 bottom left, 3 bottom right; -1 if not just
 * one. */
static int
light_corner (const ThImage *image)
{
  int corner = -1;

  for (guint i = 0; i < 4; i++)
    {
      const guint32 x = i % 2 != 0 ? image->size.width - 1 : 0;
      const guint32 y = i / 2 != 0 ? image->size.height - 1 : 0;

      if (image->data[y * image->stride + x * image->channels] < 128)
        continue;
      if (corner >= 0)
        return -1;
      corner = (int) i;
    }
  return corner;
}

static void
test_orientations (void)
{
  static const int corners[9] = { 0, 0, 1, 3, 2, 0, 1, 3, 2 };
  static const int flipped[9] = { 2, 2, 3, 1, 0, 1, 0, 2, 3 };
  guint closed;

  for (guint orientation = 0; orientation <= 8; orientation++)
    for (guint bottom_up = 0; bottom_up <= 1; bottom_up++)
      {
        Fake fake = fake_picture (300, 200, &closed);
        g_auto (Outcome) outcome = { 0 };

        fake.orientation = orientation;
        fake.bottom_up = bottom_up != 0;
        outcome = render_fake (&fake, NULL);
        g_assert_cmpint (outcome.status, ==, TH_STATUS_OK);
        g_assert_cmpuint (outcome.plan.full.width, ==, orientation >= 5 ? 200 : 300);
        for (guint i = 0; i < 2; i++)
          g_assert_cmpint (light_corner (&outcome.images[i]), ==,
                           bottom_up ? flipped[orientation] : corners[orientation]);
      }
}

static void
test_plan (void)
{
  guint closed;
  const Fake fake = fake_picture (300, 200, &closed);
  g_auto (Outcome) outcome = render_fake (&fake, NULL);

  g_assert_cmpstr (outcome.plan.codec, ==, "fake");
  g_assert_cmpstr (outcome.plan.mime_type, ==, "image/x-fake");
  g_assert_cmpuint (outcome.plan.channels, ==, 3);
  g_assert_cmpuint (outcome.plan.pages, ==, 3);
  g_assert_cmpuint (outcome.plan.frames, ==, 2);
  g_assert_cmpfloat (outcome.plan.duration, ==, 1.5);
  g_assert_cmpuint (outcome.plan.peak_bytes, >, 64 * 43 * 3);
}

static void
test_alpha (void)
{
  guint closed;
  Fake fake = fake_picture (300, 200, &closed);
  g_auto (Outcome) outcome = { 0 };

  fake.raster = (ThRaster){ 300, 200, 300, 200, TH_COLOR_GREY, TH_ALPHA_STRAIGHT, 16 };
  outcome = render_fake (&fake, NULL);
  g_assert_cmpint (outcome.status, ==, TH_STATUS_OK);
  g_assert_cmpuint (outcome.plan.channels, ==, 4);
  g_assert_cmpuint (outcome.images[0].data[3], ==, 255);
  g_assert_cmpuint (outcome.images[0].data[63 * 4 + 3], ==, 0);
}

static void
test_scalable (void)
{
  guint closed;
  Fake fake = fake_picture (4, 2, &closed);
  g_auto (Outcome) outcome = { 0 };

  fake.scalable = TRUE;
  fake.rows = 32;
  outcome = render_fake (&fake, NULL);
  g_assert_cmpint (outcome.status, ==, TH_STATUS_OK);
  g_assert_cmpuint (outcome.images[0].size.width, ==, 64);
  g_assert_cmpint (light_corner (&outcome.images[0]), ==, 0);
}

static void
test_unknown_data (void)
{
  static const struct
  {
    const char *data;
    ThStatus expected;
  } rows[] = { { "", TH_STATUS_NO_CONTENT },
               { "FAK", TH_STATUS_NOT_MINE },
               { "hello", TH_STATUS_NOT_MINE } };
  ThLimits limits;

  th_limits_init (&limits);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (ThInput) input = th_input_new_bytes (rows[i].data, strlen (rows[i].data));
      g_autoptr (GError) error = NULL;
      ThRender *render = NULL;

      g_assert_cmpint (open_input (input, &limits, &render, &error), ==, rows[i].expected);
      g_assert_error (error, TH_ERROR, (int) th_status_to_error (rows[i].expected));
      g_assert_null (render);
    }
}

/* How the fake of 300×200 differs from a good one, and what comes of it. */
typedef struct
{
  const char *name;
  ThStatus open_status;
  ThSize size; /* 0: as it is */
  gboolean plan_fails;
  ThRaster raster;
  guint64 peak_bytes;
  guint32 rows; /* fewer or more than 200 by this */
  ThStatus decode_status;
  ThStatus expected;
} FailRow;

#define MISSING(n) ((guint32) - (n))

static const FailRow fail_rows[] = {
  { .name = "good", .expected = TH_STATUS_OK },
  { .name = "open-corrupt", .open_status = TH_STATUS_CORRUPT, .expected = TH_STATUS_CORRUPT },
  { .name = "open-io", .open_status = TH_STATUS_IO, .expected = TH_STATUS_IO },
  { .name = "open-no-content",
    .open_status = TH_STATUS_NO_CONTENT,
    .expected = TH_STATUS_NO_CONTENT },
  { .name = "header-too-large", .size = { 300001, 1000 }, .expected = TH_STATUS_TOO_LARGE },
  { .name = "header-wraps", .size = { G_MAXUINT32, G_MAXUINT32 }, .expected = TH_STATUS_TOO_LARGE },
  { .name = "header-empty", .size = { 300, 0 }, .expected = TH_STATUS_CORRUPT },
  { .name = "plan-fails", .plan_fails = TRUE, .expected = TH_STATUS_TOO_LARGE },
  { .name = "plan-eats", .peak_bytes = G_MAXUINT64, .expected = TH_STATUS_TOO_LARGE },
  { .name = "plan-just-beyond", .peak_bytes = 512 << 20, .expected = TH_STATUS_TOO_LARGE },
  { .name = "raster-below-target",
    .raster = { 63, 200, 63, 200, TH_COLOR_RGB, TH_ALPHA_NONE, 8 },
    .expected = TH_STATUS_CORRUPT },
  { .name = "raster-above-limit",
    .raster = { 300001, 1000, 300001, 1000, TH_COLOR_RGB, TH_ALPHA_NONE, 8 },
    .expected = TH_STATUS_TOO_LARGE },
  { .name = "raster-fraction-above",
    .raster = { 300, 200, 300.5, 200, TH_COLOR_RGB, TH_ALPHA_NONE, 8 },
    .expected = TH_STATUS_CORRUPT },
  { .name = "raster-fraction-below",
    .raster = { 300, 200, 300, 199, TH_COLOR_RGB, TH_ALPHA_NONE, 8 },
    .expected = TH_STATUS_CORRUPT },
  { .name = "raster-fraction-none",
    .raster = { 300, 200, NAN, 200, TH_COLOR_RGB, TH_ALPHA_NONE, 8 },
    .expected = TH_STATUS_CORRUPT },
  { .name = "rows-one-missing", .rows = MISSING (1), .expected = TH_STATUS_PARTIAL },
  { .name = "rows-one-only", .rows = MISSING (199), .expected = TH_STATUS_PARTIAL },
  { .name = "rows-none", .rows = MISSING (200), .expected = TH_STATUS_CORRUPT },
  { .name = "rows-too-many", .rows = 10, .expected = TH_STATUS_OK },
  { .name = "partial", .decode_status = TH_STATUS_PARTIAL, .expected = TH_STATUS_PARTIAL },
  { .name = "partial-without-rows",
    .rows = MISSING (200),
    .decode_status = TH_STATUS_PARTIAL,
    .expected = TH_STATUS_CORRUPT },
  { .name = "decode-corrupt",
    .rows = MISSING (150),
    .decode_status = TH_STATUS_CORRUPT,
    .expected = TH_STATUS_CORRUPT },
  { .name = "decode-io", .decode_status = TH_STATUS_IO, .expected = TH_STATUS_IO },
  { .name = "decode-no-memory",
    .decode_status = TH_STATUS_NO_MEMORY,
    .expected = TH_STATUS_NO_MEMORY },
};

static void
test_fail (gconstpointer data)
{
  const FailRow *row = data;
  guint closed;
  Fake fake = fake_picture (300, 200, &closed);
  g_auto (Outcome) outcome = { 0 };

  fake.open_status = row->open_status;
  fake.size = row->size.width > 0 ? row->size : fake.size;
  fake.plan_fails = row->plan_fails;
  fake.raster = row->raster;
  fake.peak_bytes = row->peak_bytes;
  fake.rows += row->rows;
  fake.decode_status = row->decode_status;
  outcome = render_fake (&fake, NULL);
  g_assert_cmpint (outcome.status, ==, row->expected);
}

/* The announced peak is what the limit is held against, to the byte. */
static void
test_memory_limit (void)
{
  guint closed;
  Fake fake = fake_picture (300, 200, &closed);
  ThLimits limits;

  th_limits_init (&limits);
  fake.peak_bytes = 1000000;
  for (guint over = 0; over <= 1; over++)
    {
      g_auto (Outcome) first = render_fake (&fake, NULL);
      g_auto (Outcome) second = { 0 };

      g_assert_cmpuint (first.plan.peak_bytes, >, 1000000);
      limits.max_plan_bytes = first.plan.peak_bytes - over;
      second = render_fake (&fake, &limits);
      g_assert_cmpint (second.status, ==, over ? TH_STATUS_TOO_LARGE : TH_STATUS_OK);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/render/orientations", test_orientations);
  g_test_add_func ("/render/plan", test_plan);
  g_test_add_func ("/render/alpha", test_alpha);
  g_test_add_func ("/render/scalable", test_scalable);
  g_test_add_func ("/render/unknown-data", test_unknown_data);
  g_test_add_func ("/render/memory-limit", test_memory_limit);
  for (gsize i = 0; i < G_N_ELEMENTS (fail_rows); i++)
    {
      g_autofree char *path = g_strconcat ("/render/fail/", fail_rows[i].name, NULL);

      g_test_add_data_func (path, &fail_rows[i], test_fail);
    }
  return g_test_run ();
}
