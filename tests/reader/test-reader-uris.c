/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a real reader makes of URIs, with a GVfs that is as bad as they come. */
#include "config.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/th-paths.h"
#include "engine/th-process.h"
#include "gio-module.h"
#include "reader-world.h"
#include "wire/th-reader-wire.h"
#include "wire/th-wrap.h"

static char *
uri_of (const char *name)
{
  return g_strconcat (TEST_SCHEME ":///", name, NULL);
}

static ThReading *
look (World *world, const char *name, ThFacts *facts)
{
  g_autofree char *uri = uri_of (name);

  return world_look (world, uri, facts);
}

static void
look_fails (World *world, const char *name, int code)
{
  g_autofree char *uri = uri_of (name);

  world_look_fails (world, uri, G_IO_ERROR, code);
}

static char *
content (gsize size)
{
  char *data = g_malloc (size + 1);

  for (gsize i = 0; i < size; i++)
    data[i] = (char) TEST_BYTE (i);
  return data;
}

static void
check_plain (const ThFacts *facts)
{
  g_assert_true (S_ISREG (facts->st.st_mode));
  g_assert_cmpint (facts->st.st_size, ==, 300000);
  g_assert_cmpint (facts->stamp.mtime, ==, 1000000000);
  g_assert_cmpuint (facts->stamp.mtime_ns, ==, 123456000);
  g_assert_cmpuint (facts->stamp.size, ==, 300000);
  g_assert_cmpuint (facts->stamp.inode, ==, 0);
  g_assert_true (facts->readable);
  g_assert_false (facts->has_preview);
  g_assert_null (facts->path);
  g_assert_cmpstr (facts->mime_type, ==, "image/png");
}

static void
test_plain (World *world, gconstpointer unused)
{
  static const char *const names[] = { "plain", "to-plain" };
  g_autofree char *data = content (300000);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_auto (ThFacts) facts = { 0 };
      g_autoptr (ThReading) reading = look (world, names[i], &facts);

      check_plain (&facts);
      for (guint j = 0; j < 2; j++)
        {
          world_check_copy (world_open (reading, TH_READ_COPY, &facts), data, 300000);
          check_plain (&facts);
          g_assert_true (th_reading_is_unchanged (reading));
        }
      world_open_fails (reading, TH_READ_DIRECT, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED);
      world_open_fails (reading, TH_READ_PREVIEW, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
    }
}

static void
test_odd (World *world, gconstpointer unused)
{
  g_autofree char *data = content (10);
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = look (world, "empty", &facts);

  world_check_copy (world_open (reading, TH_READ_COPY, &facts), "", 0);
  g_clear_pointer (&reading, th_reading_free);
  reading = look (world, "bare", &facts);
  g_assert_cmpint (facts.st.st_size, ==, 0);
  g_assert_true (facts.readable);
  g_assert_null (facts.mime_type);
  world_check_copy (world_open (reading, TH_READ_COPY, &facts), data, 10);
  g_clear_pointer (&reading, th_reading_free);
  reading = look (world, "to-nothing", &facts);
  world_check_copy (world_open (reading, TH_READ_COPY, &facts), data, 10);
  g_clear_pointer (&reading, th_reading_free);
  reading = look (world, "unreadable", &facts);
  g_assert_false (facts.readable);
  world_open_fails (reading, TH_READ_COPY, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED);
  g_clear_pointer (&reading, th_reading_free);
  reading = look (world, "folder", &facts);
  g_assert_true (S_ISDIR (facts.st.st_mode));
  world_open_fails (reading, TH_READ_COPY, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY);
  g_clear_pointer (&reading, th_reading_free);
  reading = look (world, "special", &facts);
  g_assert_false (S_ISREG (facts.st.st_mode));
  world_open_fails (reading, TH_READ_COPY, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE);
  g_clear_pointer (&reading, th_reading_free);
  reading = look (world, "breaks", &facts);
  world_open_fails (reading, TH_READ_COPY, G_IO_ERROR, G_IO_ERROR_CONNECTION_CLOSED);
}

/* What a server says of a size is not to be trusted. */
static void
test_too_large (World *world, gconstpointer unused)
{
  static const char *const names[] = { "lies", "claims" };
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = NULL;

  world->options.max_bytes = 1000000;
  world_start (world);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_clear_pointer (&reading, th_reading_free);
      reading = look (world, names[i], &facts);
      world_open_fails (reading, TH_READ_COPY, G_IO_ERROR, G_IO_ERROR_MESSAGE_TOO_LARGE);
    }
  g_clear_pointer (&reading, th_reading_free);
  world->options.max_bytes = 10;
  world_start (world);
  reading = look (world, "preview", &facts);
  world_open_fails (reading, TH_READ_PREVIEW, G_IO_ERROR, G_IO_ERROR_MESSAGE_TOO_LARGE);
}

static void
test_preview (World *world, gconstpointer unused)
{
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = look (world, "preview", &facts);

  g_assert_true (facts.has_preview);
  for (guint i = 0; i < 2; i++)
    {
      world_check_copy (world_open (reading, TH_READ_PREVIEW, &facts), PREVIEW_TEXT,
                        strlen (PREVIEW_TEXT));
      g_assert_cmpint (facts.st.st_size, ==, 2000000);
      g_assert_true (th_reading_is_unchanged (reading));
    }
  g_clear_pointer (&reading, th_reading_free);
  /* An icon that is a file would open what nobody asked for. */
  reading = look (world, "preview-file", &facts);
  g_assert_false (facts.has_preview);
  world_open_fails (reading, TH_READ_PREVIEW, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
}

/* As in recent: and trash:. */
static void
test_target_path (World *world, gconstpointer unused)
{
  g_autofree char *path = world_file (world, "a b", "abc", 3);
  g_autofree char *uri = g_filename_to_uri (path, NULL, NULL);
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = NULL;
  int fd;

  g_setenv (TEST_TARGET, uri, TRUE);
  reading = look (world, "to-path", &facts);
  g_assert_cmpstr (facts.path, ==, path);
  g_assert_cmpint (facts.st.st_size, ==, 3);
  g_assert_cmpstr (facts.mime_type, ==, "image/png");
  world_check_copy (world_open (reading, TH_READ_COPY, &facts), "abc", 3);
  g_assert_true (th_reading_is_unchanged (reading));
  fd = th_unwrap (world_open (reading, TH_READ_DIRECT, &facts));
  close (fd);
  g_assert_true (g_file_set_contents (path, "abcd", 4, NULL));
  g_assert_false (th_reading_is_unchanged (reading));
  /* It belongs to what lies at its end. */
  world_check_copy (world_open (reading, TH_READ_COPY, &facts), "abcd", 4);
  th_readers_leave (world->readers, world->folder);
  world_open_fails (reading, TH_READ_COPY, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_pointer (&reading, th_reading_free);
  g_unlink (path);
  {
    g_autofree char *link = uri_of ("to-path");

    world_look_fails (world, link, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  }
}

static void
test_refused (World *world, gconstpointer unused)
{
  look_fails (world, "to-self", G_IO_ERROR_TOO_MANY_LINKS);
  look_fails (world, "to-there", G_IO_ERROR_TOO_MANY_LINKS);
  look_fails (world, "to-web", G_IO_ERROR_NOT_SUPPORTED);
  look_fails (world, "to-far", G_IO_ERROR_INVALID_FILENAME);
  look_fails (world, "unmounted", G_IO_ERROR_NOT_MOUNTED);
  look_fails (world, "missing", G_IO_ERROR_NOT_FOUND);
  /* Which would say that it was us. */
  look_fails (world, "cancelled", G_IO_ERROR_FAILED);
  world_look_fails (world, "http://localhost/a.jpg", G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED);
  world_look_fails (world, "HTTPS://localhost/a.jpg", G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED);
  world_look_fails (world, "admin:///etc/passwd", G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED);
  world_look_fails (world, "unknown://a/b", G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED);
}

static void
test_stalls (World *world, gconstpointer unused)
{
  static const char *const opens[] = { "stall-open", "stall-read" };

  world_stall_after (world, 2 * STALL_MS, PATIENT_MS);
  look_fails (world, "stall-query", G_IO_ERROR_TIMED_OUT);
  for (guint i = 0; i < G_N_ELEMENTS (opens); i++)
    {
      g_auto (ThFacts) facts = { 0 };
      g_autofree char *uri = uri_of (opens[i]);
      g_autoptr (ThReading) reading = th_readers_look (world->readers, uri, &facts, NULL);

      /* On a machine that is too slow for such deadlines. */
      if (reading != NULL)
        world_open_fails (reading, TH_READ_COPY, G_IO_ERROR, G_IO_ERROR_TIMED_OUT);
    }
}

/* It never stands still, and never ends. */
static void
test_trickle (World *world, gconstpointer unused)
{
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = NULL;

  world_stall_after (world, PATIENT_MS, 1000);
  reading = look (world, "trickle", &facts);
  world_open_fails (reading, TH_READ_COPY, G_IO_ERROR, G_IO_ERROR_BUSY);
}

static void
test_changes (World *world, gconstpointer unused)
{
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = look (world, "changes", &facts);

  close (world_open (reading, TH_READ_COPY, &facts));
  g_assert_false (th_reading_is_unchanged (reading));
}

static void
test_schemes (World *world, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) schemes = th_readers_schemes (world->readers, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (g_strv_length (schemes), >=, 1);
  g_assert_true (g_strv_contains ((const char *const *) schemes, TEST_SCHEME));
  for (guint i = 0; schemes[i] != NULL; i++)
    g_assert_false (
        g_strv_contains ((const char *const[]){ "file", "http", "https", "admin", "computer",
                                                "network", "cdda", "localtest", NULL },
                         schemes[i]));
}

static gboolean
has_module (int pid)
{
  g_autofree char *maps = g_strdup_printf ("/proc/%d/maps", pid);
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (maps, &text, NULL, NULL));
  return strstr (text, "reader-gio-module") != NULL;
}

/* Paths do without GVfs, and are given to a process that has none where there is one. */
static void
test_lazy (World *world, gconstpointer unused)
{
  g_autofree char *path = world_file (world, "a", "a", 1);
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) first = world_look (world, path, &facts);
  g_autoptr (ThReading) second = NULL;
  g_autoptr (GArray) children = world_children ();
  int pid = g_array_index (children, int, 0);

  g_assert_false (has_module (pid));
  second = look (world, "plain", &facts);
  g_assert_false (has_module (pid));
  g_assert_true (th_reading_is_unchanged (first));
  g_assert_true (th_reading_is_unchanged (second));
  g_clear_pointer (&first, th_reading_free);
  g_clear_pointer (&second, th_reading_free);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (ThReading) reading = world_look (world, path, &facts);

      g_assert_true (th_reading_is_unchanged (reading));
      g_clear_pointer (&reading, th_reading_free);
      reading = look (world, "plain", &facts);
      g_assert_false (has_module (pid));
      g_assert_true (th_reading_is_unchanged (reading));
    }
}

/* Nobody is left who would kill it, and it waits for a server that does not answer. */
static void
test_orphan (World *world, gconstpointer unused)
{
  g_autofree char *program = th_paths_reader ();
  g_autofree char *uri = uri_of ("stall-query");
  g_autoptr (GError) error = NULL;
  ThReaderMessage message;
  ThProcess process;

  g_assert_true (th_process_start (&process, program, TH_PROCESS_AS_CALLER, &error));
  g_assert_no_error (error);
  g_assert_cmpint (th_reader_wire_receive (process.socket, &message, NULL), ==, TH_WIRE_GOT);
  th_reader_wire_init (&message, TH_READER_LOOK, 1);
  th_wire_set_text (message.look.where, sizeof message.look.where, uri);
  g_assert_true (th_reader_wire_send (process.socket, &message, -1, TRUE, &error));
  /* GVfs is there, and the query is next. */
  g_assert_cmpint (th_reader_wire_receive (process.socket, &message, NULL), ==, TH_WIRE_GOT);
  g_assert_cmpuint (message.head.type, ==, TH_READER_PROGRESS);
  th_process_hang_up (&process);
  while (!th_process_reap (&process))
    g_usleep (1000);
}

#define ADD(name, function)                                                                        \
  g_test_add ("/reader/uris/" name, World, NULL, world_set_up, function, world_tear_down)

int
main (int argc, char **argv)
{
  g_autofree char *modules = NULL;

  g_test_init (&argc, &argv, NULL);
  modules = g_test_build_filename (G_TEST_BUILT, "reader", NULL);
  g_setenv ("GIO_EXTRA_MODULES", modules, TRUE);
  g_setenv ("GIO_USE_VFS", TEST_VFS, TRUE);
  g_setenv ("DBUS_SESSION_BUS_ADDRESS", "disabled:", TRUE);
  ADD ("plain", test_plain);
  ADD ("odd", test_odd);
  ADD ("too-large", test_too_large);
  ADD ("preview", test_preview);
  ADD ("target-path", test_target_path);
  ADD ("refused", test_refused);
  ADD ("stalls", test_stalls);
  ADD ("trickle", test_trickle);
  ADD ("changes", test_changes);
  ADD ("schemes", test_schemes);
  ADD ("lazy", test_lazy);
  ADD ("orphan", test_orphan);
  return g_test_run ();
}
