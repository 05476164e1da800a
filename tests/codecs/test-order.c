/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A worker decodes one file after the other, with memory that others have used: what comes out must
 * not depend on what came before. */
#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/th-render.h"

static const guint32 boxes[] = { 256, 128 };

/* Files of the folder and of those below it, by name. */
static void
add_files (GPtrArray *paths, const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        add_files (paths, path);
      else
        g_ptr_array_add (paths, g_steal_pointer (&path));
    }
  g_clear_pointer (&dir, g_dir_close);
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static ThStatus
render (ThInput *input, GChecksum *sum)
{
  g_autoptr (ThRender) made = NULL;
  ThImage images[G_N_ELEMENTS (boxes)];
  const ThRenderPlan *plan;
  ThLimits limits;
  ThStatus status;

  th_limits_init (&limits);
  limits.max_pixels = 30u * 1000u * 1000u;
  status = th_render_open (input, &limits, boxes, G_N_ELEMENTS (boxes), NULL, &made, NULL);
  if (status != TH_STATUS_OK)
    return status;
  plan = th_render_plan (made);
  for (guint i = 0; i < G_N_ELEMENTS (boxes); i++)
    {
      ThSize size =
          plan->scalable ? th_fit_scalable (plan->full, boxes[i]) : th_fit (plan->full, boxes[i]);
      gsize stride = (gsize) size.width * plan->channels;

      images[i] = (ThImage){ size, plan->channels, stride, g_malloc0 (stride * size.height) };
    }
  status = th_render_run (made, images, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (boxes); i++)
    {
      if (th_status_has_pixels (status))
        g_checksum_update (sum, images[i].data,
                           (gssize) (images[i].stride * images[i].size.height));
      g_free (images[i].data);
    }
  return status;
}

/* What became of the file, pixels included. Caller frees. */
static char *
digest (const char *path)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_MD5);
  g_autoptr (ThInput) input = NULL;
  ThStatus status;
  int fd = open (path, O_RDONLY | O_CLOEXEC);

  g_assert_cmpint (fd, >=, 0);
  input = th_input_new_fd (fd, NULL);
  g_assert_nonnull (input);
  status = render (input, sum);
  close (fd);
  return g_strdup_printf ("%s %s", th_status_name (status), g_checksum_get_string (sum));
}

static void
check_both_ways (const char *folder)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) forwards = g_ptr_array_new_with_free_func (g_free);

  add_files (paths, folder);
  g_ptr_array_sort (paths, by_name);
  g_assert_cmpuint (paths->len, >, 0);
  for (guint i = 0; i < paths->len; i++)
    g_ptr_array_add (forwards, digest (paths->pdata[i]));
  for (guint i = paths->len; i-- > 0;)
    {
      g_autofree char *again = digest (paths->pdata[i]);

      if (strcmp (again, forwards->pdata[i]) != 0)
        g_test_message ("%s", (const char *) paths->pdata[i]);
      g_assert_cmpstr (again, ==, forwards->pdata[i]);
    }
  g_test_message ("%u files", paths->len);
}

static void
test_made (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_BUILT, "codecs", "images", NULL);

  check_both_ways (folder);
}

static void
test_pictures (void)
{
  const char *folder = g_getenv ("TH_TEST_PICTURES");

  if (folder == NULL)
    g_test_skip ("TH_TEST_PICTURES is not set: its 565 pictures are left out");
  else
    check_both_ways (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/order/made", test_made);
  g_test_add_func ("/order/pictures", test_pictures);
  return g_test_run ();
}
