/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Of what an encrypted folder shows in the clear nothing is to be found on disk. */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "base/th-flavor.h"
#include "bus-fixture.h"
#include "pictures.h"
#include "stall-mount.h"

#define SECRET "secret plans.png"

typedef struct
{
  TestBus *bus;
  StallMount *vault;
  TestClient *client;
} Fixture;

static void
start (Fixture *fixture, const char *config)
{
  g_autofree char *program = test_program ("../src/service/thimbled");

  fixture->bus = test_bus_up (NULL);
  fixture->vault = stall_mount_start_as (fixture->bus->root, "fuse.gocryptfs");
  test_bus_configure (fixture->bus, config);
  test_bus_start (fixture->bus, program);
  fixture->client = test_client_new (fixture->bus);
}

static void
stop (Fixture *fixture)
{
  test_client_free (fixture->client);
  stall_mount_stop (fixture->vault);
  test_bus_down (fixture->bus);
}

/* The picture at this URI, which is near, in the vault. Returns its URI there. */
static char *
put_in (Fixture *fixture, const char *near, const char *name)
{
  g_autofree char *path = g_filename_from_uri (near, NULL, NULL);
  g_autofree char *data = NULL, *inside = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  inside = stall_mount_file (fixture->vault, name, data, size);
  return g_filename_to_uri (inside, NULL, NULL);
}

/* Regular files below a folder. */
static guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      n += g_file_test (path, G_FILE_TEST_IS_DIR) ? count_files (path) : 1;
    }
  return n;
}

static void
move (Fixture *fixture, const char *from, const char *to)
{
  const char *const from_uris[] = { from, NULL }, *const to_uris[] = { to, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply = g_dbus_connection_call_sync (
      fixture->client->connection, TEST_CACHE_NAME, "/org/freedesktop/thumbnails/Cache1",
      TEST_CACHE_NAME, "Move", g_variant_new ("(^as^as)", from_uris, to_uris), NULL,
      G_DBUS_CALL_FLAGS_NONE, TEST_PATIENCE_US / G_TIME_SPAN_MILLISECOND, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (reply);
}

static gboolean
skips (gconstpointer trouble)
{
  if (trouble != NULL)
    g_test_skip (trouble);
  return trouble != NULL;
}

static void
test_nothing_kept (gconstpointer trouble)
{
  Fixture fixture;
  g_autofree char *near = NULL, *inside = NULL, *broken = NULL, *broken_uri = NULL;
  guint32 handle;

  if (skips (trouble))
    return;
  start (&fixture, "");
  near = test_picture (fixture.bus, SECRET, 60, 1);
  inside = put_in (&fixture, near, SECRET);
  broken = stall_mount_file (fixture.vault, "broken.png", "\x89PNG\r\n\x1a\n", 8);
  broken_uri = g_filename_to_uri (broken, NULL, NULL);
  handle = test_client_queue (fixture.client, (const char *const[]){ inside, broken_uri, NULL },
                              "large", "foreground");
  g_hash_table_unref (test_client_finish (fixture.client, handle));
  g_assert_cmpuint (test_client_count (fixture.client, handle, TEST_READY), ==, 0);
  g_assert_nonnull (strstr (test_client_wait (fixture.client, handle, TEST_ERROR)->message,
                            "encrypted folder (gocryptfs"));
  g_assert_cmpuint (count_files (fixture.bus->cache), ==, 0);
  stop (&fixture);
}

/* What goes in leaves nothing outside. */
static void
test_moved_in (gconstpointer trouble)
{
  Fixture fixture;
  g_autofree char *near = NULL, *inside = NULL, *near_path = NULL;
  guint32 handle;

  if (skips (trouble))
    return;
  start (&fixture, "");
  near = test_picture (fixture.bus, SECRET, 60, 1);
  handle = test_client_queue_one (fixture.client, near);
  g_hash_table_unref (test_client_finish (fixture.client, handle));
  g_assert_cmpuint (count_files (fixture.bus->cache), ==, 1);
  inside = put_in (&fixture, near, SECRET);
  near_path = g_filename_from_uri (near, NULL, NULL);
  g_assert_no_errno (g_unlink (near_path));
  move (&fixture, near, inside);
  g_assert_cmpuint (count_files (fixture.bus->cache), ==, 0);
  stop (&fixture);
}

static void
test_wanted (gconstpointer trouble)
{
  Fixture fixture;
  g_autofree char *near = NULL, *inside = NULL;
  g_autoptr (GHashTable) answers = NULL;

  if (skips (trouble))
    return;
  start (&fixture, "[privacy]\nencrypted-folders=true\n");
  near = test_picture (fixture.bus, SECRET, 60, 1);
  inside = put_in (&fixture, near, SECRET);
  answers = test_client_finish (fixture.client, test_client_queue_one (fixture.client, inside));
  g_assert_cmpint (test_answer (answers, inside), ==, -1);
  g_assert_cmpuint (count_files (fixture.bus->cache), ==, 1);
  stop (&fixture);
}

int
main (int argc, char **argv)
{
  const char *trouble = stall_mount_prepare ();

  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/vault/nothing-kept", trouble, test_nothing_kept);
  g_test_add_data_func ("/vault/moved-in", trouble, test_moved_in);
  g_test_add_data_func ("/vault/wanted", trouble, test_wanted);
  return g_test_run ();
}
