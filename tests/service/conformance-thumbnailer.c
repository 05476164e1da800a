/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thumbnailer1. */
#include "config.h"

#include "conformance.h"

#include <glib/gstdio.h>
#include <string.h>

#include "cache/th-png-text.h"
#include "cache/th-uri.h"
#include "pictures.h"

static char *
write_file (Conformance *conformance, const char *name, const char *contents, gsize length)
{
  g_autofree char *path = g_build_filename (conformance->bus->pictures, name, NULL);

  g_assert_true (g_file_set_contents (path, contents, (gssize) length, NULL));
  return th_uri_from_path (path);
}

static char *
see_good (Conformance *conformance)
{
  g_autofree char *uri = test_picture (conformance->bus, "a.png", 300, 1);

  return conformance_ask (conformance, uri, "image/png", "large");
}

static char *
see_missing (Conformance *conformance)
{
  g_autofree char *uri = g_strconcat ("file://", conformance->bus->pictures, "/missing.png", NULL);

  return conformance_ask (conformance, uri, "image/png", "large");
}

static char *
see_bare_path (Conformance *conformance)
{
  return conformance_ask (conformance, "/etc/passwd", "image/png", "large");
}

static char *
see_no_uri (Conformance *conformance)
{
  return conformance_ask (conformance, "no-uri", "image/png", "large");
}

static char *
see_empty_uri (Conformance *conformance)
{
  return conformance_ask (conformance, "", "image/png", "large");
}

static char *
see_unknown_type (Conformance *conformance)
{
  g_autofree char *uri = test_picture (conformance->bus, "a.png", 300, 1);

  return conformance_ask (conformance, uri, "text/x-nothing", "large");
}

static char *
see_octet_stream (Conformance *conformance)
{
  g_autofree char *uri = test_picture (conformance->bus, "a.png", 300, 1);

  return conformance_ask (conformance, uri, "application/octet-stream", "large");
}

static char *
see_lying_type (Conformance *conformance)
{
  g_autofree char *uri = test_picture (conformance->bus, "a.jpg", 300, 1);

  return conformance_ask (conformance, uri, "image/jpeg", "large");
}

static char *
see_no_picture (Conformance *conformance)
{
  g_autofree char *uri = write_file (conformance, "bad.png", "this is no picture", 18);

  return conformance_ask (conformance, uri, "image/png", "large");
}

static char *
see_empty_file (Conformance *conformance)
{
  g_autofree char *uri = write_file (conformance, "empty.png", "", 0);

  return conformance_ask (conformance, uri, "image/png", "large");
}

static char *
see_cut_file (Conformance *conformance)
{
  g_autofree char *path = g_build_filename (conformance->bus->pictures, "whole.png", NULL);
  g_autofree char *contents = NULL;
  g_autofree char *uri = NULL;
  gsize length = 0;

  g_free (test_picture (conformance->bus, "whole.png", 300, 1));
  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  uri = write_file (conformance, "cut.png", contents, length / 2);
  return conformance_ask (conformance, uri, "image/png", "large");
}

static char *
see_folder (Conformance *conformance)
{
  g_autofree char *uri = th_uri_from_path (conformance->bus->pictures);

  return conformance_ask (conformance, uri, "image/png", "large");
}

static char *
see_thumbnail (Conformance *conformance)
{
  g_autofree char *uri = test_picture (conformance->bus, "a.png", 300, 1);
  g_autofree char *path = test_thumbnail (conformance->bus, uri, TH_FLAVOR_LARGE);
  g_autofree char *made = th_uri_from_path (path);
  g_autofree char *answer = NULL;

  g_free (conformance_ask (conformance, uri, "image/png", "large"));
  answer = conformance_ask (conformance, made, "image/png", "normal");
  *strchr (answer, '(') = '\0';
  return g_steal_pointer (&answer);
}

static char *
see_flavor (Conformance *conformance)
{
  static const char *const uris[] = { "file:///a/1", "file:///a/2", NULL };
  guint32 handle = test_client_queue (conformance->client, uris, "huge", "foreground");

  return conformance_answers (conformance, handle, TRUE);
}

static char *
see_nothing_asked (Conformance *conformance)
{
  static const char *const uris[] = { NULL };
  guint32 handle = test_client_queue (conformance->client, uris, "normal", "foreground");

  return conformance_answers (conformance, handle, TRUE);
}

static char *
see_few_types (Conformance *conformance)
{
  g_auto (GStrv) uris = test_pictures (conformance->bus, 2, 60);
  static const char *const types[] = { "image/png", NULL };
  guint32 handle = test_client_queue_full (conformance->client, (const char *const *) uris, types,
                                           "normal", "foreground", 0);

  return conformance_answers (conformance, handle, TRUE);
}

static char *
see_many_types (Conformance *conformance)
{
  g_auto (GStrv) uris = test_pictures (conformance->bus, 1, 60);
  static const char *const types[] = { "image/png", "image/png", NULL };
  guint32 handle = test_client_queue_full (conformance->client, (const char *const *) uris, types,
                                           "normal", "foreground", 0);

  return conformance_answers (conformance, handle, TRUE);
}

static char *
see_scheduler (Conformance *conformance)
{
  g_auto (GStrv) uris = test_pictures (conformance->bus, 2, 60);
  guint32 handle =
      test_client_queue (conformance->client, (const char *const *) uris, "normal", "nonsense");

  return conformance_answers (conformance, handle, TRUE);
}

static char *
code_of (GHashTable *answers, const char *uri)
{
  GArray *codes = g_hash_table_lookup (answers, uri);

  if (codes == NULL || codes->len != 1)
    return g_strdup_printf ("%u answers", codes != NULL ? codes->len : 0);
  return g_strdup_printf ("%d", g_array_index (codes, int, 0));
}

/* Two pictures and two that are none, at once; how many signals that takes is a matter of time. */
static char *
see_background (Conformance *conformance)
{
  g_auto (GStrv) good = test_pictures (conformance->bus, 2, 60);
  g_autofree char *bad = write_file (conformance, "bad.png", "this is no picture", 18);
  g_autofree char *worse = write_file (conformance, "worse.png", "nor is this", 11);
  const char *const uris[] = { good[0], bad, good[1], worse, NULL };
  guint32 handle = test_client_queue (conformance->client, uris, "normal", "background");
  g_autoptr (GHashTable) answers = test_client_finish (conformance->client, handle);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; uris[i] != NULL; i++)
    {
      g_autofree char *code = code_of (answers, uris[i]);

      g_string_append_printf (text, "%s%s", i == 0 ? "" : " ", code);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
see_cached (Conformance *conformance)
{
  g_auto (GStrv) uris = test_pictures (conformance->bus, 3, 60);
  const char *const *list = (const char *const *) uris;
  guint32 first = test_client_queue (conformance->client, list, "normal", "foreground");

  test_client_wait (conformance->client, first, TEST_FINISHED);
  return conformance_answers (
      conformance, test_client_queue (conformance->client, list, "normal", "foreground"), FALSE);
}

static char *
see_duplicates (Conformance *conformance)
{
  g_autofree char *uri = test_picture (conformance->bus, "a.png", 60, 1);
  const char *const uris[] = { uri, uri, NULL };

  g_free (conformance_ask (conformance, uri, "image/png", "normal"));
  return conformance_answers (
      conformance, test_client_queue (conformance->client, uris, "normal", "foreground"), FALSE);
}

/* Each spelling of a URI has a thumbnail of its own. */
static char *
see_spelling (Conformance *conformance)
{
  g_autofree char *uri = test_picture (conformance->bus, "a-b.png", 60, 1);
  g_autofree char *folder = th_uri_from_path (conformance->bus->pictures);
  g_autofree char *other = g_strconcat (folder, "/a%2Db.png", NULL);
  g_autofree char *path = test_thumbnail (conformance->bus, other, TH_FLAVOR_NORMAL);
  g_autofree char *first = conformance_ask (conformance, uri, "image/png", "normal");
  g_autofree char *second = conformance_ask (conformance, other, "image/png", "normal");

  return g_strdup_printf ("%s, %s, %s", first, second,
                          g_file_test (path, G_FILE_TEST_EXISTS) ? "two files" : "one file");
}

/* What a wrong question does to a good thumbnail. */
static char *
see_wiped (Conformance *conformance)
{
  g_autofree char *uri = test_picture (conformance->bus, "a.png", 300, 1);
  g_autofree char *path = test_thumbnail (conformance->bus, uri, TH_FLAVOR_LARGE);

  g_free (conformance_ask (conformance, uri, "image/png", "large"));
  g_free (conformance_ask (conformance, uri, "image/png", "huge"));
  return g_strdup (g_file_test (path, G_FILE_TEST_EXISTS) ? "kept" : "deleted");
}

/* The thumbnail is no PNG any more. */
static char *
see_spoilt (Conformance *conformance)
{
  g_autofree char *uri = test_picture (conformance->bus, "a.png", 300, 1);
  g_autofree char *path = test_thumbnail (conformance->bus, uri, TH_FLAVOR_LARGE);

  g_free (conformance_ask (conformance, uri, "image/png", "large"));
  g_assert_true (g_file_set_contents (path, "no PNG", -1, NULL));
  return conformance_ask (conformance, uri, "image/png", "large");
}

static char *
see_keys (Conformance *conformance)
{
  static const char *const keys[] = { "Thumb::URI",      "Thumb::MTime",        "Thumb::Size",
                                      "Thumb::Mimetype", "Thumb::Image::Width", "Software" };
  g_autofree char *uri = test_picture (conformance->bus, "a.png", 300, 1);
  g_autofree char *path = test_thumbnail (conformance->bus, uri, TH_FLAVOR_LARGE);
  g_autoptr (GString) found = g_string_new (NULL);
  g_autoptr (ThPngText) text = NULL;

  g_free (conformance_ask (conformance, uri, "image/png", "large"));
  text = th_png_text_read (path, NULL);
  g_assert_nonnull (text);
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    if (th_png_text_get (text, keys[i]) != NULL)
      g_string_append_printf (found, "%s ", keys[i]);
  g_string_append (found, strchr (th_png_text_get (text, "Thumb::MTime"), '.') != NULL
                              ? "(fraction)"
                              : "(whole seconds)");
  return g_string_free (g_steal_pointer (&found), FALSE);
}

static char *
see_sizes (Conformance *conformance)
{
  g_autofree char *uri = test_picture (conformance->bus, "a.png", 1500, 1);
  g_autoptr (GString) found = g_string_new (NULL);

  for (guint i = 0; i < TH_N_FLAVORS; i++)
    {
      g_autofree char *path = test_thumbnail (conformance->bus, uri, (ThFlavor) i);
      g_autoptr (ThPngText) text = NULL;
      GStatBuf info;

      g_free (conformance_ask (conformance, uri, "image/png", th_flavor_name ((ThFlavor) i)));
      text = th_png_text_read (path, NULL);
      g_assert_nonnull (text);
      g_assert_no_errno (g_stat (path, &info));
      g_string_append_printf (found, "%u (%o) ", th_png_text_size (text).width,
                              (guint) info.st_mode & 0777);
    }
  return g_string_free (g_steal_pointer (&found), FALSE);
}

static char *
see_lists (Conformance *conformance)
{
  g_autoptr (GVariant) flavors = test_client_call (conformance->client, "GetFlavors", NULL);
  g_autoptr (GVariant) schedulers = test_client_call (conformance->client, "GetSchedulers", NULL);
  g_autofree char *first = g_variant_print (flavors, FALSE);
  g_autofree char *second = g_variant_print (schedulers, FALSE);

  return g_strconcat (first, " ", second, NULL);
}

static char *
see_supported (Conformance *conformance)
{
  g_autoptr (GVariant) reply = test_client_call (conformance->client, "GetSupported", NULL);
  g_autofree const char **schemes = NULL;
  g_autofree const char **types = NULL;

  g_variant_get (reply, "(^a&s^a&s)", &schemes, &types);
  return g_strdup_printf (
      "%s, image/png %s",
      g_strv_length ((char **) schemes) == g_strv_length ((char **) types) ? "pairs" : "no pairs",
      g_strv_contains (types, "image/png") ? "listed" : "missing");
}

static char *
see_handles (Conformance *conformance)
{
  guint32 first = test_client_queue_one (conformance->client, "file:///a/1");
  guint32 second = test_client_queue_one (conformance->client, "file:///a/2");

  return g_strdup_printf ("%u %u", first, second);
}

static char *
see_strange_handles (Conformance *conformance)
{
  g_auto (GStrv) uris = test_pictures (conformance->bus, 1, 60);
  static const char *const types[] = { "image/png", NULL };
  guint32 handle;

  test_client_dequeue (conformance->client, 0);
  test_client_dequeue (conformance->client, 12345);
  handle = test_client_queue_full (conformance->client, (const char *const *) uris, types, "normal",
                                   "default", 12345);
  return conformance_answers (conformance, handle, TRUE);
}

static char *
see_signature (Conformance *conformance)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply = g_dbus_connection_call_sync (
      conformance->client->connection, TEST_NAME, "/org/freedesktop/thumbnails/Thumbnailer1",
      TEST_NAME, "Queue", g_variant_new ("(s)", "file:///a"), NULL, G_DBUS_CALL_FLAGS_NONE, -1,
      NULL, &error);

  g_assert_null (reply);
  return g_dbus_error_get_remote_error (error);
}

/* A second one, while the first has the name. */
static char *
see_second_service (Conformance *conformance)
{
  g_autoptr (GSubprocess) second =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDERR_SILENCE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE, NULL,
                        conformance->program, NULL);

  g_assert_nonnull (second);
  g_assert_true (g_subprocess_wait (second, NULL, NULL));
  return g_strdup_printf ("status %d", g_subprocess_get_if_exited (second)
                                           ? g_subprocess_get_exit_status (second)
                                           : -1);
}

const ConformanceCase conformance_thumbnailer[] = {
  { "good", see_good, "Ready(a.png)", NULL },
  { "missing", see_missing, "Error 8(missing.png)", NULL },
  { "bare-path", see_bare_path, "Error 8(passwd)", NULL },
  { "no-uri", see_no_uri, "Error 8(no-uri)", NULL },
  { "empty-uri", see_empty_uri, "Error 8()", "nothing" },
  { "unknown-type", see_unknown_type, "Error 0(a.png)", NULL },
  { "octet-stream", see_octet_stream, "Ready(a.png)", "Error 0(a.png)" },
  { "lying-type", see_lying_type, "Ready(a.jpg)", CONFORMANCE_VARIES },
  { "no-picture", see_no_picture, "Error 2(bad.png)", "Error 8(bad.png)" },
  { "empty-file", see_empty_file, "Error 6(empty.png)", "Error 8(empty.png)" },
  { "cut-file", see_cut_file, "Ready(cut.png)", NULL },
  { "folder", see_folder, "Error 0(pictures)", "Error 8(pictures)" },
  { "is-thumbnail", see_thumbnail, "Error 3", NULL },
  { "flavor", see_flavor, "Error 5(1 2)", NULL },
  { "nothing-asked", see_nothing_asked, "nothing", NULL },
  { "few-types", see_few_types, "Ready(0.png), Ready(1.png)", "Ready(0.png)" },
  { "many-types", see_many_types, "Ready(0.png)", NULL },
  { "scheduler", see_scheduler, "Ready(0.png), Ready(1.png)", NULL },
  { "background", see_background, "-1 2 -1 2", "-1 8 -1 8" },
  { "cached", see_cached, "Ready(0.png 1.png 2.png)", NULL },
  { "duplicates", see_duplicates, "Ready(a.png), Ready(a.png)", "Ready(a.png a.png)" },
  { "spelling", see_spelling, "Ready(a-b.png), Ready(a%2Db.png), two files", NULL },
  { "wiped", see_wiped, "kept", "deleted" },
  { "spoilt", see_spoilt, "Ready(a.png)", "Error 2(a.png)" },
  { "keys", see_keys,
    "Thumb::URI Thumb::MTime Thumb::Size Thumb::Mimetype Thumb::Image::Width Software "
    "(whole seconds)",
    "Thumb::URI Thumb::MTime (fraction)" },
  { "sizes", see_sizes, "128 (600) 256 (600) 512 (600) 1024 (600) ", NULL },
  { "lists", see_lists,
    "(['xx-large', 'x-large', 'large', 'normal'],) (['default', 'foreground', 'background'],)",
    NULL },
  { "supported", see_supported, "pairs, image/png listed", NULL },
  { "handles", see_handles, "1 2", NULL },
  { "strange-handles", see_strange_handles, "Ready(0.png)", NULL },
  { "signature", see_signature, "org.freedesktop.DBus.Error.InvalidArgs", NULL },
  { "second-service", see_second_service, "status 0", NULL },
  { NULL, NULL, NULL, NULL },
};
