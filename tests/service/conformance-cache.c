/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cache1. */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <utime.h>

#include "cache/th-uri.h"
#include "conformance.h"
#include "pictures.h"

#define CACHE "org.freedesktop.thumbnails.Cache1"
#define PATH  "/org/freedesktop/thumbnails/Cache1"

/* The empty string, or the bus's name of the error. */
static char *
call (Conformance *conformance, const char *method, GVariant *arguments)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply =
      g_dbus_connection_call_sync (conformance->client->connection, CACHE, PATH, CACHE, method,
                                   arguments, NULL, G_DBUS_CALL_FLAGS_NONE, 120000, NULL, &error);

  return reply != NULL ? g_strdup ("") : g_dbus_error_get_remote_error (error);
}

static void
pair (Conformance *conformance, const char *method, const char *from, const char *to)
{
  const char *const froms[] = { from, NULL };
  const char *const tos[] = { to, NULL };
  g_autofree char *failure = call (conformance, method, g_variant_new ("(^as^as)", froms, tos));

  g_assert_cmpstr (failure, ==, "");
}

static char *
path_of (Conformance *conformance, const char *name)
{
  return g_build_filename (conformance->bus->pictures, name, NULL);
}

static char *
uri_of (Conformance *conformance, const char *name)
{
  g_autofree char *path = path_of (conformance, name);

  return th_uri_from_path (path);
}

/* Makes the picture and its thumbnail. */
static void
make (Conformance *conformance, const char *name)
{
  g_autofree char *uri = test_picture (conformance->bus, name, 300, 1);

  g_free (conformance_ask (conformance, uri, "image/png", "large"));
}

static gboolean
is_there (Conformance *conformance, const char *name)
{
  g_autofree char *uri = uri_of (conformance, name);
  g_autofree char *path = test_thumbnail (conformance->bus, uri, TH_FLAVOR_LARGE);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* Which of two files have thumbnails. */
static char *
left (Conformance *conformance, const char *first, const char *second)
{
  return g_strdup_printf ("%s %s, %s %s", first, is_there (conformance, first) ? "yes" : "no",
                          second, is_there (conformance, second) ? "yes" : "no");
}

static void
move (Conformance *conformance, const char *from, const char *to)
{
  g_autofree char *old = path_of (conformance, from);
  g_autofree char *new = path_of (conformance, to);

  g_assert_no_errno (g_rename (old, new));
}

static void
tell_moved (Conformance *conformance, const char *from, const char *to)
{
  g_autofree char *old = uri_of (conformance, from);
  g_autofree char *new = uri_of (conformance, to);

  pair (conformance, "Move", old, new);
}

static char *
see_move (Conformance *conformance)
{
  make (conformance, "a.png");
  move (conformance, "a.png", "b.png");
  tell_moved (conformance, "a.png", "b.png");
  return left (conformance, "a.png", "b.png");
}

/* The file was written to on the way: its thumbnail shows something else. */
static char *
see_move_stale (Conformance *conformance)
{
  g_autofree char *path = path_of (conformance, "b.png");
  const struct utimbuf times = { 1000, 1000 };

  make (conformance, "a.png");
  move (conformance, "a.png", "b.png");
  g_assert_no_errno (utime (path, &times));
  tell_moved (conformance, "a.png", "b.png");
  return left (conformance, "a.png", "b.png");
}

static char *
see_move_nowhere (Conformance *conformance)
{
  make (conformance, "a.png");
  tell_moved (conformance, "a.png", "b.png");
  return left (conformance, "a.png", "b.png");
}

static void
make_below (Conformance *conformance)
{
  g_autofree char *folder = path_of (conformance, "d");

  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  make (conformance, "d/a.png");
}

static char *
see_move_folder (Conformance *conformance)
{
  make_below (conformance);
  move (conformance, "d", "e");
  tell_moved (conformance, "d", "e");
  return left (conformance, "d/a.png", "e/a.png");
}

static char *
see_copy (Conformance *conformance)
{
  g_autofree char *old = uri_of (conformance, "a.png");
  g_autofree char *new = NULL;

  make (conformance, "a.png");
  new = test_picture (conformance->bus, "b.png", 300, 1);
  pair (conformance, "Copy", old, new);
  return left (conformance, "a.png", "b.png");
}

static char *
see_delete (Conformance *conformance)
{
  g_autofree char *uri = uri_of (conformance, "a.png");
  const char *const uris[] = { uri, "file:///nonexistent/x", "", NULL };
  g_autofree char *failure = NULL;

  make (conformance, "a.png");
  make (conformance, "b.png");
  failure = call (conformance, "Delete", g_variant_new ("(^as)", uris));
  g_assert_cmpstr (failure, ==, "");
  return left (conformance, "a.png", "b.png");
}

/* Thumbnails below a folder and beside it. */
static char *
clean (Conformance *conformance, const char *base, guint32 since)
{
  g_autofree char *uri = uri_of (conformance, base);
  const char *const uris[] = { uri, NULL };
  g_autofree char *failure = NULL;

  make_below (conformance);
  make (conformance, "b.png");
  failure = call (conformance, "Cleanup", g_variant_new ("(^asu)", uris, since));
  g_assert_cmpstr (failure, ==, "");
  return left (conformance, "d/a.png", "b.png");
}

static char *
see_cleanup_folder (Conformance *conformance)
{
  return clean (conformance, "d", 0);
}

static char *
see_cleanup_file (Conformance *conformance)
{
  return clean (conformance, "b.png", 0);
}

/* Nothing is so old. */
static char *
see_cleanup_since (Conformance *conformance)
{
  return clean (conformance, "d", 1000);
}

static char *
see_cleanup_now (Conformance *conformance)
{
  return clean (conformance, "d", G_MAXUINT32);
}

static char *
see_uneven (Conformance *conformance)
{
  static const char *const one[] = { "file:///a", NULL };
  static const char *const none[] = { NULL };

  return call (conformance, "Move", g_variant_new ("(^as^as)", one, none));
}

const ConformanceCase conformance_cache[] = {
  { "move", see_move, "a.png no, b.png yes", NULL },
  { "move-stale", see_move_stale, "a.png no, b.png no", "a.png no, b.png yes" },
  { "move-nowhere", see_move_nowhere, "a.png yes, b.png no", NULL },
  { "move-folder", see_move_folder, "d/a.png no, e/a.png yes", NULL },
  { "copy", see_copy, "a.png yes, b.png yes", NULL },
  { "delete", see_delete, "a.png no, b.png yes", NULL },
  { "cleanup-folder", see_cleanup_folder, "d/a.png no, b.png yes", "d/a.png yes, b.png yes" },
  { "cleanup-file", see_cleanup_file, "d/a.png yes, b.png no", NULL },
  { "cleanup-since", see_cleanup_since, "d/a.png yes, b.png yes", "d/a.png no, b.png yes" },
  { "cleanup-now", see_cleanup_now, "d/a.png no, b.png yes", "d/a.png no, b.png no" },
  { "uneven", see_uneven, "org.freedesktop.DBus.Error.Failed", NULL },
  { NULL, NULL, NULL, NULL },
};
