/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What readers bring, in a real worker. */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "base/th-paths.h"
#include "cache/th-png-write.h"
#include "engine/th-pool.h"
#include "reader-world.h"
#include "stall-mount.h"

#define SIDE 64u

typedef struct
{
  World world;
  StallMount *stall; /* NULL: none can be had */
  ThPool *pool;
  GBytes *picture;
} Place;

static GBytes *
make_picture (void)
{
  static guint8 const colour[3] = { 10, 200, 30 };
  g_autofree guint8 *pixels = g_malloc (SIDE * SIDE * 3);
  ThImage image = { { SIDE, SIDE }, 3, SIDE * 3, pixels };
  g_autoptr (ThPngBody) body = NULL;

  for (guint i = 0; i < SIDE * SIDE * 3; i++)
    pixels[i] = colour[i % 3];
  body = th_png_encode (&image);
  return th_png_assemble (body, NULL, 0);
}

static void
start_pool (Place *place, guint wall_ms)
{
  g_autofree char *worker = th_paths_worker ();
  ThPoolOptions options = { .worker_path = worker, .worker_files = 100, .worker_idle_ms = 10000 };

  g_clear_pointer (&place->pool, th_pool_free);
  th_limits_init (&options.limits);
  options.limits.wall_ms = wall_ms;
  place->pool = th_pool_new (&options);
}

static void
set_up (Place *place, gconstpointer trouble)
{
  world_set_up (&place->world, NULL);
  start_pool (place, PATIENT_MS);
  place->picture = make_picture ();
  if (trouble == NULL)
    place->stall = stall_mount_start (place->world.folder);
}

static void
tear_down (Place *place, gconstpointer trouble)
{
  if (place->stall != NULL)
    stall_mount_stop (place->stall);
  th_pool_free (place->pool);
  g_bytes_unref (place->picture);
  world_tear_down (&place->world, NULL);
}

static ThStatus
decode (Place *place, int fd)
{
  guint32 box = 32;
  ThPoolJob job = { .source_fd = fd, .boxes = &box, .n_boxes = 1 };
  g_auto (ThDecoded) decoded = { 0 };
  g_autoptr (GError) error = NULL;
  ThStatus status = th_pool_decode (place->pool, TH_FOREGROUND, &job, &decoded, &error);

  if (error != NULL)
    g_test_message ("%s", error->message);
  if (status == TH_STATUS_OK)
    {
      g_assert_cmpuint (decoded.images[0].size.width, ==, 32);
      g_assert_cmpuint (decoded.images[0].data[1], ==, 200);
    }
  return status;
}

static void
decode_well (Place *place, const char *path)
{
  static const ThReadHow hows[] = { TH_READ_COPY, TH_READ_DIRECT };

  for (guint i = 0; i < G_N_ELEMENTS (hows); i++)
    {
      g_auto (ThFacts) facts = { 0 };
      g_autoptr (ThReading) reading = world_look (&place->world, path, &facts);
      int fd = world_open (reading, hows[i], &facts);

      g_assert_cmpint (decode (place, fd), ==, TH_STATUS_OK);
      g_assert_true (th_reading_is_unchanged (reading));
      close (fd);
    }
}

static void
test_local (Place *place, gconstpointer trouble)
{
  gsize size;
  const char *data = g_bytes_get_data (place->picture, &size);
  g_autofree char *path = world_file (&place->world, "a.png", data, size);

  decode_well (place, path);
}

/* A server that stops answering takes a worker with it, and nobody else. */
static void
test_stalled (Place *place, gconstpointer trouble)
{
  g_autofree char *path = NULL;
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = NULL;
  const char *data;
  gsize size;
  int fd;

  if (trouble != NULL)
    {
      g_test_skip (trouble);
      return;
    }
  data = g_bytes_get_data (place->picture, &size);
  path = stall_mount_file (place->stall, "a.png", data, size);
  decode_well (place, path);
  start_pool (place, STALL_MS);
  world_stall_after (&place->world, STALL_MS, PATIENT_MS);
  reading = world_look (&place->world, path, &facts);
  fd = world_open (reading, TH_READ_DIRECT, &facts);
  stall_mount_stall (place->stall, "all");
  g_assert_cmpint (decode (place, fd), ==, TH_STATUS_TIMEOUT);
  close (fd);
  g_assert_false (th_reading_is_unchanged (reading));
}

int
main (int argc, char **argv)
{
  const char *trouble = stall_mount_prepare ();

  g_test_init (&argc, &argv, NULL);
  g_test_add ("/reader/decode/local", Place, trouble, set_up, test_local, tear_down);
  g_test_add ("/reader/decode/stalled", Place, trouble, set_up, test_stalled, tear_down);
  return g_test_run ();
}
