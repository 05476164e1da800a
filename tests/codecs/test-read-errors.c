/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every codec over a source that stops being readable somewhere: what was lost is not the file's
 * fault, so no half picture may be kept for it and nothing may be called damaged. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/th-codec.h"
#include "core/th-render.h"

#define BOX 48u

/* Reads that still succeed; pread has no argument that could carry it. */
static guint reads_left;
static gboolean has_failed;

/* In the place of the C library's. */
ssize_t
pread (int fd, void *buffer, size_t length, off_t offset)
{
  if (reads_left == 0)
    {
      has_failed = TRUE;
      errno = EIO;
      return -1;
    }
  reads_left--;
  return syscall (SYS_pread64, fd, buffer, length, offset);
}

typedef struct
{
  ThStatus status;
  GByteArray *pixels;
} Outcome;

static void
outcome_clear (Outcome *outcome)
{
  g_byte_array_unref (outcome->pixels);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Outcome, outcome_clear)

static void
run (ThRender *render, Outcome *outcome)
{
  const ThRenderPlan *plan = th_render_plan (render);
  const ThSize size = th_fit (plan->full, BOX);
  const gsize stride = (gsize) size.width * plan->channels;
  ThImage image;

  g_byte_array_set_size (outcome->pixels, (guint) (stride * size.height));
  image = (ThImage){ size, plan->channels, stride, outcome->pixels->data };
  outcome->status = th_render_run (render, &image, NULL);
}

/* Opens and decodes with reads that fail from the one after reads on. */
static Outcome
render_file (const char *path, guint reads)
{
  static const guint32 boxes[] = { BOX };
  const int fd = open (path, O_RDONLY | O_CLOEXEC);
  g_autoptr (ThInput) input = th_input_new_fd (fd, NULL);
  g_autoptr (ThRender) render = NULL;
  Outcome outcome = { TH_STATUS_OK, g_byte_array_new () };
  ThLimits limits;

  g_assert_nonnull (input);
  th_limits_init (&limits);
  reads_left = reads;
  has_failed = FALSE;
  outcome.status = th_render_open (input, &limits, boxes, 1, &render, NULL);
  if (outcome.status == TH_STATUS_OK)
    run (render, &outcome);
  reads_left = G_MAXUINT;
  close (fd);
  return outcome;
}

/* Where all of the picture had come already, what follows may be lost. */
static void
test_picture (gconstpointer data)
{
  const char *path = data;
  g_auto (Outcome) whole = render_file (path, G_MAXUINT);
  guint failures = 0;

  g_assert_cmpint (whole.status, ==, TH_STATUS_OK);
  for (guint reads = 0; reads == failures; reads++)
    {
      g_auto (Outcome) outcome = render_file (path, reads);

      failures += has_failed ? 1 : 0;
      if (outcome.status == TH_STATUS_OK)
        g_assert_cmpmem (outcome.pixels->data, outcome.pixels->len, whole.pixels->data,
                         whole.pixels->len);
      else
        g_assert_cmpint (outcome.status, ==, TH_STATUS_IO);
    }
  g_assert_cmpuint (failures, >, 0);
}

/* Those of the codec's format that decode wholly. */
static void
add_folder (GTestFileType where, const char *folder, const char *suffix)
{
  g_autofree char *full = g_test_build_filename (where, folder, NULL);
  g_autoptr (GDir) dir = g_dir_open (full, 0, NULL);
  const char *file;

  g_assert_nonnull (dir);
  while ((file = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *name = g_strconcat ("/read-errors/", folder, "/", file, NULL);

      if (g_str_has_suffix (file, suffix) && !g_str_has_prefix (file, "partial-"))
        g_test_add_data_func_full (name, g_build_filename (full, file, NULL), test_picture, g_free);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reads_left = G_MAXUINT;
  for (guint i = 0; th_codecs[i] != NULL; i++)
    {
      g_autofree char *seeds = g_strconcat ("fuzz/corpus/", th_codecs[i]->name, NULL);
      g_autofree char *suffix = g_strconcat (".", th_codecs[i]->name, NULL);

      add_folder (G_TEST_DIST, seeds, "");
      add_folder (G_TEST_BUILT, "codecs/images/ok", suffix);
    }
  return g_test_run ();
}
