/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files on a mount whose server stops answering, and all others meanwhile. */
#include "config.h"

#include <glib/gstdio.h>
#include <unistd.h>

#include "bus-fixture.h"
#include "pictures.h"
#include "stall-mount.h"

/* A server is given up after so long: what does not depend on it takes much less, on any machine.
 */
#define CONFIG                                                                                     \
  "[remote]\n"                                                                                     \
  "stall-seconds=8\n"                                                                              \
  "[service]\n"                                                                                    \
  "idle-seconds=2\n"

#define N_LOCAL   20u
#define N_STALLED 40u

typedef struct
{
  TestBus *bus;
  StallMount *stall;
  TestClient *client;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer trouble)
{
  g_autofree char *program = test_program ("../src/service/thimbled");

  if (trouble != NULL)
    return;
  fixture->bus = test_bus_up (NULL);
  fixture->stall = stall_mount_start (fixture->bus->root);
  test_bus_configure (fixture->bus, CONFIG);
  test_bus_start (fixture->bus, program);
  fixture->client = test_client_new (fixture->bus);
}

static void
tear_down (Fixture *fixture, gconstpointer trouble)
{
  if (trouble != NULL)
    return;
  test_client_free (fixture->client);
  stall_mount_stop (fixture->stall);
  test_bus_down (fixture->bus);
}

static gboolean
skips (gconstpointer trouble)
{
  if (trouble != NULL)
    g_test_skip (trouble);
  return trouble != NULL;
}

/* A picture on the mount. Returns its URI. */
static char *
far_picture (Fixture *fixture, const char *name, guint seed)
{
  g_autofree char *near = test_picture (fixture->bus, name, 60, seed);
  g_autofree char *near_path = g_filename_from_uri (near, NULL, NULL);
  g_autofree char *data = NULL;
  g_autofree char *far = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (near_path, &data, &size, NULL));
  g_assert_no_errno (g_unlink (near_path));
  far = stall_mount_file (fixture->stall, name, data, size);
  return g_filename_to_uri (far, NULL, NULL);
}

static char **
far_pictures (Fixture *fixture, guint n)
{
  char **uris = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("far-%u.png", i);

      uris[i] = far_picture (fixture, name, 1000 + i);
    }
  return uris;
}

static int
ask (Fixture *fixture, const char *uri)
{
  guint32 handle = test_client_queue_one (fixture->client, uri);
  g_autoptr (GHashTable) answers = test_client_finish (fixture->client, handle);

  return test_answer (answers, uri);
}

static void
check_local (Fixture *fixture)
{
  g_auto (GStrv) uris = test_pictures (fixture->bus, N_LOCAL, 60);
  guint32 handle =
      test_client_queue (fixture->client, (const char *const *) uris, "large", "foreground");
  g_autoptr (GHashTable) answers = test_client_finish (fixture->client, handle);

  for (guint i = 0; i < N_LOCAL; i++)
    g_assert_cmpint (test_answer (answers, uris[i]), ==, -1);
}

/* A mount that answers is served like any, and what is cached is found. */
static void
test_served (Fixture *fixture, gconstpointer trouble)
{
  g_autofree char *uri = NULL;
  g_autofree char *missing = NULL;

  if (skips (trouble))
    return;
  uri = far_picture (fixture, "a.png", 1);
  missing = g_strconcat (uri, "x", NULL);
  g_assert_cmpint (ask (fixture, uri), ==, -1);
  test_check_thumbnail (fixture->bus, uri, TH_FLAVOR_NORMAL);
  g_assert_cmpint (ask (fixture, missing), ==, 8);
  /* Nothing of it is read again. */
  stall_mount_stall (fixture->stall, "open read");
  g_assert_cmpint (ask (fixture, uri), ==, -1);
}

/* Whatever is never answered: those files get an Error, all others their thumbnails first, and the
 * service leaves when it is not needed. */
static void
check_stall (Fixture *fixture, const char *operations)
{
  g_auto (GStrv) uris = far_pictures (fixture, N_STALLED);
  g_autoptr (GHashTable) answers = NULL;
  guint32 handle;

  stall_mount_stall (fixture->stall, operations);
  handle = test_client_queue (fixture->client, (const char *const *) uris, "large", "foreground");
  check_local (fixture);
  g_assert_cmpuint (test_client_count (fixture->client, handle, TEST_ERROR), ==, 0);
  answers = test_client_finish (fixture->client, handle);
  for (guint i = 0; i < N_STALLED; i++)
    g_assert_cmpint (test_answer (answers, uris[i]), ==, 8);
  /* Again, at once: nobody waits for it anew. */
  g_assert_cmpint (ask (fixture, uris[0]), ==, 8);
  test_bus_wait (fixture->bus);
}

static void
test_never_looks (Fixture *fixture, gconstpointer trouble)
{
  if (!skips (trouble))
    check_stall (fixture, "lookup getattr");
}

static void
test_never_opens (Fixture *fixture, gconstpointer trouble)
{
  if (!skips (trouble))
    check_stall (fixture, "open");
}

static void
test_never_reads (Fixture *fixture, gconstpointer trouble)
{
  if (!skips (trouble))
    check_stall (fixture, "read");
}

/* A name in a local folder may lead there. */
static void
test_link (Fixture *fixture, gconstpointer trouble)
{
  g_autofree char *far = NULL;
  g_autofree char *path = NULL;
  g_autofree char *link = NULL;
  g_autofree char *uri = NULL;
  guint32 handle;

  if (skips (trouble))
    return;
  far = far_picture (fixture, "a.png", 1);
  path = g_filename_from_uri (far, NULL, NULL);
  link = g_build_filename (fixture->bus->pictures, "link.png", NULL);
  g_assert_no_errno (symlink (path, link));
  uri = g_filename_to_uri (link, NULL, NULL);
  g_assert_cmpint (ask (fixture, uri), ==, -1);
  test_check_thumbnail (fixture->bus, uri, TH_FLAVOR_NORMAL);
  stall_mount_stall (fixture->stall, "all");
  handle = test_client_queue_one (fixture->client, uri);
  check_local (fixture);
  g_assert_cmpuint (test_client_count (fixture->client, handle, TEST_ERROR), ==, 0);
  test_client_wait (fixture->client, handle, TEST_FINISHED);
}

static void
call_cache (Fixture *fixture, const char *method, GVariant *arguments)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply = g_dbus_connection_call_sync (
      fixture->client->connection, TEST_CACHE_NAME, "/org/freedesktop/thumbnails/Cache1",
      TEST_CACHE_NAME, method, arguments, NULL, G_DBUS_CALL_FLAGS_NONE,
      TEST_PATIENCE_US / G_TIME_SPAN_MILLISECOND, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (reply);
}

/* The cache follows files there as it does others; of a silent one nothing is believed, however
 * many there are. */
static void
test_cache (Fixture *fixture, gconstpointer trouble)
{
  g_auto (GStrv) uris = NULL;
  g_auto (GStrv) to = NULL;
  guint32 handle;

  if (skips (trouble))
    return;
  uris = far_pictures (fixture, N_STALLED);
  to = g_strdupv (uris);
  for (guint i = 0; i < N_STALLED; i++)
    {
      g_free (to[i]);
      to[i] = g_strconcat (uris[i], ".moved.png", NULL);
    }
  handle = test_client_queue (fixture->client, (const char *const *) uris, "normal", "foreground");
  g_hash_table_unref (test_client_finish (fixture->client, handle));
  stall_mount_stall (fixture->stall, "all");
  call_cache (fixture, "Move", g_variant_new ("(^as^as)", uris, to));
  for (guint i = 0; i < N_STALLED; i++)
    test_check_thumbnail (fixture->bus, uris[i], TH_FLAVOR_NORMAL);
  call_cache (fixture, "Delete", g_variant_new ("(^as)", uris));
}

/* Requests that are given up need not wait for anybody. */
static void
test_dequeue (Fixture *fixture, gconstpointer trouble)
{
  g_auto (GStrv) uris = NULL;
  guint32 handle;

  if (skips (trouble))
    return;
  uris = far_pictures (fixture, N_STALLED);
  stall_mount_stall (fixture->stall, "all");
  handle = test_client_queue (fixture->client, (const char *const *) uris, "large", "background");
  test_client_dequeue (fixture->client, handle);
  test_client_wait (fixture->client, handle, TEST_FINISHED);
  g_assert_cmpuint (test_client_count (fixture->client, handle, TEST_ERROR), ==, 0);
  /* Nor does the end. */
  test_bus_stop (fixture->bus);
}

typedef struct
{
  const char *path;
  void (*test) (Fixture *fixture, gconstpointer trouble);
} Case;

static const Case cases[] = {
  { "/apart/served", test_served },
  { "/apart/never-looks", test_never_looks },
  { "/apart/never-opens", test_never_opens },
  { "/apart/never-reads", test_never_reads },
  { "/apart/cache", test_cache },
  { "/apart/link", test_link },
  { "/apart/dequeue", test_dequeue },
};

int
main (int argc, char **argv)
{
  const char *trouble = stall_mount_prepare ();

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_test_add (cases[i].path, Fixture, trouble, set_up, cases[i].test, tear_down);
  return g_test_run ();
}
