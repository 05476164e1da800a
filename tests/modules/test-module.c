/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One module: the pictures that it makes for itself, other people's, and its own worker, locked
 * down. */
#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "codecs/check.h"
#include "core/th-codec.h"
#include "core/th-render.h"
#include "hostile/hostile-worker.h"
#include "made.h"

#define PREFIXES        24u
#define PREFIX_FILE_MAX (100u * 1024u)
/* Of the library's plainest interface, which rounds in its own way. */
#define TOLERANCE 2u

/* Columns of MANIFEST.tsv. */
enum
{
  COL_FILE = 1,
  COL_FORMAT = 3,
  COL_WIDTH,
  COL_HEIGHT,
  COL_ORIENTATION,
  COL_VERDICT = 10,
  N_COLUMNS
};

static const ThCodec *
codec (void)
{
  g_assert_nonnull (th_codecs[0]);
  g_assert_null (th_codecs[1]);
  return th_codecs[0];
}

static void
made_free (void *data)
{
  Made *made = data;

  g_free (made->name);
  g_byte_array_unref (made->data);
  g_clear_pointer (&made->drawn, picture_free);
  g_free (made);
}

static void
check_drawn (const Made *made, ThBytes data)
{
  g_autoptr (Picture) ours = picture_decode (data);

  g_assert_cmpint (ours->status, ==, made->expected);
  if (made->drawn == NULL)
    return;
  if (made->mean > 0)
    g_assert_cmpfloat (picture_mean_difference (ours, made->drawn), <=, made->mean);
  else
    g_assert_cmpuint (picture_difference (ours, made->drawn), <=, made->tolerance);
}

/* Of nearly nothing. */
static void
check_preview (ThSession *session, guint expected)
{
  const ThSize target = th_fit (codec ()->header (session)->size, 32);
  ThPlan plan;

  g_assert_true (codec ()->plan (session, &target, 1, &plan));
  g_assert_true (plan.from_preview);
  g_assert_cmpuint (plan.raster.width, ==, expected);
}

static void
check_header (const Made *made, ThBytes data)
{
  g_autoptr (ThInput) input = th_input_new_bytes (data.data, data.size);
  g_autoptr (GError) error = NULL;
  ThSession *session = NULL;
  ThLimits limits;

  th_limits_init (&limits);
  g_assert_cmpint (codec ()->open (input, &limits, &session, &error), ==, TH_STATUS_OK);
  g_assert_no_error (error);
  if (made->orientation != 0)
    g_assert_cmpuint (codec ()->header (session)->orientation, ==, made->orientation);
  if (made->check_header != NULL)
    made->check_header (codec ()->header (session));
  if (made->preview_width != 0)
    check_preview (session, made->preview_width);
  codec ()->close (session);
}

static void
check_plain_in (ThBytes data, guint32 box, guint32 expected)
{
  g_autoptr (ThInput) input = th_input_new_bytes (data.data, data.size);
  const guint32 pixel = GUINT32_TO_BE (expected);
  g_autoptr (ThRender) render = NULL;
  g_autofree guint8 *rows = NULL;
  const ThRenderPlan *plan;
  ThLimits limits;
  ThImage image;
  ThSize size;

  th_limits_init (&limits);
  g_assert_cmpint (th_render_open (input, &limits, &box, 1, NULL, &render, NULL), ==, TH_STATUS_OK);
  plan = th_render_plan (render);
  g_assert_cmpuint (plan->channels, ==, sizeof pixel);
  size = plan->scalable ? th_fit_scalable (plan->full, box) : th_fit (plan->full, box);
  rows = g_malloc0_n (size.height, size.width * sizeof pixel);
  image = (ThImage){ size, plan->channels, size.width * sizeof pixel, rows };
  g_assert_cmpint (th_render_run (render, &image, NULL), ==, TH_STATUS_OK);
  for (gsize i = 0; i < (gsize) size.width * size.height; i++)
    g_assert_cmpmem (rows + i * sizeof pixel, sizeof pixel, &pixel, sizeof pixel);
}

static void
test_made (const void *user)
{
  const Made *made = user;
  const ThBytes data = { made->data->data, made->data->len };
  ThSize full;

  g_assert_cmpuint (data.size, >, 0);
  g_assert_cmpint (check_render (data, &full), ==, made->expected);
  check_drawn (made, data);
  if (made->orientation != 0 || made->preview_width != 0 || made->check_header != NULL)
    check_header (made, data);
  for (guint32 box = 1024; made->plain != 0 && box >= 16; box /= 2)
    check_plain_in (data, box, made->plain);
  if (data.size <= PREFIX_FILE_MAX)
    check_prefixes (data, PREFIXES);
  if (th_status_has_pixels (made->expected))
    check_stop (data);
}

/* One file for all, which no worker sees but through its descriptor. */
static int
file_of (const Made *made)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "thimble-module-XXXXXX", NULL);
  const int fd = g_mkstemp (path);
  int again;

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (write (fd, made->data->data, made->data->len), ==, made->data->len);
  again = open (path, O_RDONLY | O_CLOEXEC);
  g_assert_cmpint (again, >=, 0);
  close (fd);
  unlink (path);
  return again;
}

static void
start_locked (Worker *worker)
{
  g_autofree char *path = g_strconcat ("../../src/modules/thimble-worker-", codec ()->name, NULL);
  g_autoptr (GError) error = NULL;

  worker_start (worker, path, NULL);
  worker_greet (worker, &error);
  g_assert_no_error (error);
}

static const guint32 boxes[] = { 256, 128 };

/* One job; room may be NULL. */
static ThStatus
decode_apart (const Worker *worker, guint32 job, const Made *made, ThResultRoom *room,
              ThDecoded *decoded)
{
  g_autoptr (GError) error = NULL;
  const int fd = file_of (made);
  ThLimits limits;
  const ThExchange exchange = {
    .socket = worker->socket,
    .pid = worker->pid,
    .data_base = worker->hello.data_base,
    .job = job,
    .source_fd = fd,
    .limits = &limits,
    .boxes = boxes,
    .n_boxes = G_N_ELEMENTS (boxes),
    .room = room,
  };
  ThStatus status;

  th_limits_init (&limits);
  limits.cpu_ms = limits.wall_ms = 60000;
  status = th_exchange_run (&exchange, decoded, &error);
  g_test_message ("%s: %s", made->name, error != NULL ? error->message : "");
  close (fd);
  return status;
}

/* The same, by a worker that serves one after the other: a call that is not allowed would end it,
 * and so would memory that was not planned. Each picture once in memory of its own and once in that
 * which stays with the worker. */
static void
test_worker (const void *user)
{
  const GPtrArray *pictures = user;
  ThResultRoom room = TH_RESULT_ROOM_INIT;
  g_auto (Worker) worker = { .socket = -1 };

  start_locked (&worker);
  for (guint i = 0; i < pictures->len; i++)
    {
      const Made *made = pictures->pdata[i];
      g_auto (ThDecoded) own = { 0 };
      g_auto (ThDecoded) kept = { 0 };

      g_assert_cmpint (decode_apart (&worker, 2 * i + 1, made, NULL, &own), ==, made->expected);
      g_assert_cmpint (decode_apart (&worker, 2 * i + 2, made, &room, &kept), ==, made->expected);
      g_assert_cmpuint (kept.n_images, ==, own.n_images);
      for (guint k = 0; k < own.n_images; k++)
        {
          const guint size = (guint) own.images[k].stride * own.images[k].size.height;

          g_assert_cmpmem (kept.images[k].data, size, own.images[k].data, size);
        }
    }
  th_result_room_clear (&room);
}

/* Pictures that the list's other programs refuse, and we show. */
static const struct
{
  const char *file;
  const char *reason;
} shown[] = {
  { "optional/avif-sample-images__kimono.crop.avif", "an aperture between pixels is rounded" },
  { "optional/avif-sample-images__kimono.mirror-vertical.rotate270.crop.avif",
    "an aperture between pixels is rounded" },
};

static const char *
reason_to_show (const char *file)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shown); i++)
    if (strcmp (shown[i].file, file) == 0)
      return shown[i].reason;
  return NULL;
}

static GBytes *
load (const char *file)
{
  g_autofree char *path = g_build_filename (g_getenv ("TH_TEST_PICTURES"), file, NULL);
  char *contents;
  gsize length;

  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  return g_bytes_new_take (contents, length);
}

static guint
number (char **fields, guint column)
{
  return (guint) g_ascii_strtoull (fields[column], NULL, 10);
}

/* stored: NULL where the list is not sure; 0 where it says nothing. */
static void
check_reference (ThBytes data, const ThSize *stored)
{
  g_autoptr (Picture) ours = picture_decode (data);
  g_autoptr (Picture) reference = picture_reference (ours->codec, data);

  if (stored != NULL && stored->width > 0)
    {
      g_assert_cmpuint (ours->size.width, ==, stored->width);
      g_assert_cmpuint (ours->size.height, ==, stored->height);
    }
  if (reference != NULL && ours->status == TH_STATUS_OK)
    g_assert_cmpuint (picture_difference (ours, reference), <=, TOLERANCE);
}

static void
test_picture (const void *user)
{
  char **fields = (char **) user;
  g_autoptr (GBytes) bytes = load (fields[COL_FILE]);
  ThBytes data = { g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes) };
  const ThSize stored = { number (fields, COL_WIDTH), number (fields, COL_HEIGHT) };
  const ThSize seen = th_size_oriented (stored, number (fields, COL_ORIENTATION));
  ThSize full = { 0, 0 };
  const ThStatus status = check_render (data, &full);
  const char *reason = reason_to_show (fields[COL_FILE]);

  g_test_message ("%s %s", th_status_name (status), reason != NULL ? reason : "");
  if (data.size <= PREFIX_FILE_MAX)
    check_prefixes (data, PREFIXES);
  if (reason != NULL)
    g_assert_cmpint (status, ==, TH_STATUS_OK);
  else if (strcmp (fields[COL_VERDICT], "fails") == 0)
    g_assert_cmpint (status, !=, TH_STATUS_OK);
  if (strcmp (fields[COL_VERDICT], "decodes") != 0)
    {
      if (status == TH_STATUS_OK)
        check_reference (data, NULL);
      return;
    }
  g_assert_true (th_status_has_pixels (status));
  /* The list does not always say how a picture is turned. */
  if (*fields[COL_ORIENTATION] != '\0')
    {
      g_assert_cmpuint (full.width, ==, seen.width);
      g_assert_cmpuint (full.height, ==, seen.height);
    }
  check_reference (data, &stored);
}

static void
test_without_pictures (void)
{
  g_test_skip ("TH_TEST_PICTURES is not set: other people's pictures are left out");
}

static void
add_pictures (GPtrArray *rows)
{
  g_autoptr (GBytes) bytes = load ("MANIFEST.tsv");
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 1; lines[0] != NULL && lines[i] != NULL; i++)
    {
      char **fields = g_strsplit (lines[i], "\t", -1);
      g_autofree char *name = NULL;

      g_ptr_array_add (rows, fields);
      if (g_strv_length (fields) < N_COLUMNS || strcmp (fields[COL_FORMAT], codec ()->name) != 0)
        continue;
      name = g_strdup_printf ("/modules/%s/pictures/%s", codec ()->name, fields[COL_FILE]);
      g_test_add_data_func (name, fields, test_picture);
    }
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  g_autoptr (GPtrArray) pictures = NULL;
  g_autofree char *worker = g_strdup_printf ("/modules/%s/worker", codec ()->name);

  g_test_init (&argc, &argv, NULL);
  if (codec ()->prepare != NULL)
    g_assert_true (codec ()->prepare (NULL));
  pictures = made_pictures ();
  g_ptr_array_set_free_func (pictures, made_free);
  for (guint i = 0; i < pictures->len; i++)
    {
      const Made *made = pictures->pdata[i];
      g_autofree char *name = g_strdup_printf ("/modules/%s/made/%s", codec ()->name, made->name);

      g_test_add_data_func (name, made, test_made);
    }
  g_test_add_data_func (worker, pictures, test_worker);
  if (g_getenv ("TH_TEST_PICTURES") != NULL)
    add_pictures (rows);
  else
    g_test_add_func ("/modules/pictures", test_without_pictures);
  return g_test_run ();
}
