/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The resident worker on pictures with profiles, locked down: the same colours as without, whatever
 * profiles came before, and no profile that ends it. */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/th-open.h"
#include "codecs/color-chart.h"
#include "hostile/hostile-worker.h"
#include "unit/profile-maker.h"

#define WORKER "../../src/worker/thimble-worker"
/* Of each side of the table of inks: 25 make a profile of 2.3 MB. */
#define LARGE_STEPS 25

typedef struct
{
  const char *name;
  GByteArray *file;
} Picture;

static void
picture_free (gpointer data)
{
  Picture *picture = data;

  g_byte_array_unref (picture->file);
  g_free (picture);
}

/* Takes icc over. */
static void
add (GPtrArray *pictures, const char *name, ChartContainer container, ThColorModel model,
     GByteArray *icc)
{
  Picture *picture = g_new (Picture, 1);

  picture->name = name;
  picture->file = chart_make (container, model, (ThBytes){ icc->data, icc->len });
  g_ptr_array_add (pictures, picture);
  g_byte_array_unref (icc);
}

static GByteArray *
ink_profile (guint steps)
{
  return profile_save (profile_table_of (cmsSigCmykData, 4, steps, profile_ink_to_lab, NULL));
}

/* Any byte changed, the size too. */
static GByteArray *
damaged (GRand *random)
{
  GByteArray *icc = ink_profile (5);

  for (guint k = 0; k < 3; k++)
    icc->data[g_rand_int_range (random, 0, 400)] = (guint8) g_rand_int (random);
  if (g_rand_boolean (random))
    g_byte_array_set_size (icc, (guint) g_rand_int_range (random, 1, (gint32) icc->len));
  return icc;
}

static GPtrArray *
make_pictures (void)
{
  GPtrArray *pictures = g_ptr_array_new_with_free_func (picture_free);
  g_autoptr (GRand) random = g_rand_new_with_seed (41);

  for (guint i = 0; i < N_PROFILE_SPACES; i++)
    {
      add (pictures, "png", CHART_PNG, TH_COLOR_RGB, profile_rgb (&profile_spaces[i]));
      add (pictures, "webp", CHART_WEBP, TH_COLOR_RGB, profile_rgb (&profile_spaces[i]));
      add (pictures, "jpeg", CHART_JPEG, TH_COLOR_RGB, profile_rgb (&profile_spaces[i]));
    }
  add (pictures, "grey", CHART_PNG, TH_COLOR_GREY, profile_grey (1.4));
  add (pictures, "ink", CHART_JPEG, TH_COLOR_CMYK, ink_profile (9));
  add (pictures, "much ink", CHART_JPEG, TH_COLOR_CMYK, ink_profile (LARGE_STEPS));
  for (guint i = 0; i < 40; i++)
    add (pictures, "damaged", CHART_JPEG, TH_COLOR_CMYK, damaged (random));
  return pictures;
}

static int
open_file (const Picture *picture)
{
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  int fd = g_file_open_tmp ("thimble-colors-XXXXXX", &path, &error);

  g_assert_no_error (error);
  close (fd);
  g_file_set_contents (path, (const char *) picture->file->data, picture->file->len, &error);
  g_assert_no_error (error);
  fd = th_open_regular (path, &error);
  g_assert_no_error (error);
  g_unlink (path);
  return fd;
}

static void
check (const Worker *worker, guint job, const Picture *picture)
{
  const guint32 box = CHART_WIDTH;
  g_auto (ThDecoded) decoded = { 0 };
  g_autoptr (GError) error = NULL;
  ChartColors here, there;
  ThLimits limits;
  ThExchange exchange = {
    .socket = worker->socket,
    .pid = worker->pid,
    .data_base = worker->hello.data_base,
    .job = job,
    .source_fd = open_file (picture),
    .limits = &limits,
    .boxes = &box,
    .n_boxes = 1,
  };

  th_limits_init (&limits);
  limits.cpu_ms = limits.wall_ms = 60000;
  th_exchange_run (&exchange, &decoded, &error);
  close (exchange.source_fd);
  if (error != NULL)
    g_test_message ("%s", picture->name);
  g_assert_no_error (error);
  chart_render (picture->file, &here);
  chart_read (&decoded.images[0], &there);
  g_assert_cmpmem (here.rgba, sizeof here.rgba, there.rgba, sizeof there.rgba);
}

static void
test_resident (void)
{
  g_autoptr (GPtrArray) pictures = make_pictures ();
  g_auto (Worker) worker = { .socket = -1 };
  g_autoptr (GError) error = NULL;
  guint job = 0;

  worker_start (&worker, WORKER, NULL);
  worker_greet (&worker, &error);
  g_assert_no_error (error);
  /* The second time some come from the cache of profiles. */
  for (guint round = 0; round < 2; round++)
    for (guint i = 0; i < pictures->len; i++)
      check (&worker, ++job, g_ptr_array_index (pictures, i));
}

int
main (int argc, char **argv)
{
  /* The time zone's file is one that a locked-down process cannot read. */
  g_setenv ("TZ", "Europe/Berlin", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/colors-locked/resident", test_resident);
  return g_test_run ();
}
