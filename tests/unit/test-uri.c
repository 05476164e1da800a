/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "base/th-error.h"
#include "cache/th-uri.h"

static void
test_md5 (void)
{
  g_autofree char *uri = th_uri_from_path ("/home/jens/photos/me.png");
  g_autofree char *md5 = th_uri_md5 (uri);

  g_assert_cmpstr (uri, ==, "file:///home/jens/photos/me.png");
  g_assert_cmpstr (md5, ==, "c6ee772d9e49320e97ec29a7eb5b1697");
}

typedef struct
{
  const char *path;
  const char *uri;
} PathRow;

static const PathRow paths[] = {
  { "/a b", "file:///a%20b" },
  { "/50%", "file:///50%25" },
  { "/a#b?c", "file:///a%23b%3Fc" },
  { "/[x];y", "file:///%5Bx%5D%3By" },
  { "/new\nline", "file:///new%0Aline" },
  { "/\xff\xfe", "file:///%FF%FE" },
  { "/\xc3\xbc", "file:///%C3%BC" },
  { "/-rf", "file:///-rf" },
  { "/!$&'()*+,-.:=@_~", "file:///!$&'()*+,-.:=@_~" },
  { "/\"<>\\^`{|}\x7f", "file:///%22%3C%3E%5C%5E%60%7B%7C%7D%7F" },
};

/* Both ways. */
static void
test_names (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *uri = th_uri_from_path (paths[i].path);
      g_autofree char *path = th_uri_to_path (uri, &error);

      g_assert_no_error (error);
      g_assert_cmpstr (uri, ==, paths[i].uri);
      g_assert_cmpstr (path, ==, paths[i].path);
    }
}

/* Every byte that a name can have, against GLib. */
static void
test_every_byte (void)
{
  for (int byte = 1; byte < 256; byte++)
    {
      g_autofree char *path = g_strdup_printf ("/x%cy", byte);
      g_autofree char *glib = NULL;
      g_autofree char *uri = NULL;
      g_autofree char *back = NULL;

      if (byte == '/')
        continue;
      glib = g_filename_to_uri (path, NULL, NULL);
      uri = th_uri_from_path (path);
      back = th_uri_to_path (uri, NULL);
      g_assert_cmpstr (uri, ==, glib);
      g_assert_cmpstr (back, ==, path);
    }
}

static const PathRow canonical[] = {
  { "//a//b", "file:///a/b" }, { "/a/./b/", "file:///a/b" },
  { "/a/../b", "file:///b" },  { "/../../b", "file:///b" },
  { "/", "file:///" },         { "//", "file:///" },
  { "///x", "file:///x" },     { "", "" },
};

static void
test_canonical (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (canonical); i++)
    {
      g_autofree char *uri = th_uri_from_path (canonical[i].path);

      g_assert_cmpstr (uri, ==, canonical[i].uri);
    }
}

static void
test_relative (void)
{
  g_autofree char *here = g_get_current_dir ();
  g_autofree char *path = g_build_filename (here, "-x y", NULL);
  g_autofree char *expected = g_filename_to_uri (path, NULL, NULL);
  g_autofree char *uri = th_uri_from_path ("-x y");

  g_assert_cmpstr (uri, ==, expected);
}

static const PathRow spellings[] = {
  { "/a b", "file:/a%20b" },           { "/a b", "file:///a b" },
  { "/a-b", "file:///a%2Db" },         { "/a-b", "file:///a%2db" },
  { "/a", "FILE://LocalHost/a" },      { "/a", "file://localhost/a" },
  { "/b", "file:///a/../b" },          { "/a", "file:////a" },
  { "/b", "file:///a/%2E%2e/b" },      { "/a", "file:///a/" },
  { "/\xc3\xbc", "file:///\xc3\xbc" },
};

static void
test_spellings (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (spellings); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *path = th_uri_to_path (spellings[i].uri, &error);

      g_assert_no_error (error);
      g_assert_cmpstr (path, ==, spellings[i].path);
    }
}

typedef struct
{
  const char *uri;
  ThError error;
} RefusedRow;

static const RefusedRow refused[] = {
  { "", TH_ERROR_OTHER },
  { "/bare/path", TH_ERROR_OTHER },
  { "no scheme", TH_ERROR_OTHER },
  { ":x", TH_ERROR_OTHER },
  { "file:", TH_ERROR_OTHER },
  { "file:relative", TH_ERROR_OTHER },
  { "file:///a%00b", TH_ERROR_OTHER },
  { "file:///a%2Fb", TH_ERROR_OTHER },
  { "file:///a%2fb", TH_ERROR_OTHER },
  { "file:///a%", TH_ERROR_OTHER },
  { "file:///a%4", TH_ERROR_OTHER },
  { "file:///a%zz", TH_ERROR_OTHER },
  { "file:///a%4g", TH_ERROR_OTHER },
  { "file:///a#b", TH_ERROR_OTHER },
  { "file:///a?b", TH_ERROR_OTHER },
  { "file:///a\nb", TH_ERROR_OTHER },
  { "\xff\xfe", TH_ERROR_OTHER },
  { "file://server/a", TH_ERROR_UNSUPPORTED },
  { "file://localhost.evil/a", TH_ERROR_UNSUPPORTED },
  { "file://", TH_ERROR_UNSUPPORTED },
  { "smb://server/share/a.png", TH_ERROR_UNSUPPORTED },
  { "trash:///a.png", TH_ERROR_UNSUPPORTED },
  { "mailto:x", TH_ERROR_UNSUPPORTED },
};

static void
test_refused (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (th_uri_to_path (refused[i].uri, &error));
      g_assert_error (error, TH_ERROR, (int) refused[i].error);
      g_assert_null (strchr (error->message, '\n'));
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
    }
}

static char *
repeat (const char *prefix, const char *piece, gsize times)
{
  GString *text = g_string_new (prefix);

  for (gsize i = 0; i < times; i++)
    g_string_append (text, piece);
  return g_string_free (text, FALSE);
}

static void
test_long (void)
{
  g_autofree char *slashes = repeat ("file://", "/", 1000000);
  g_autofree char *longest = repeat ("file:///", "%FF", PATH_MAX - 1);
  g_autofree char *path = th_uri_to_path (longest, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (path);
  g_assert_cmpuint (strlen (path), ==, PATH_MAX);
  g_assert_null (th_uri_to_path (slashes, &error));
  g_assert_error (error, TH_ERROR, TH_ERROR_OTHER);
  g_assert_cmpuint (strlen (error->message), <, 1000);
  g_assert_false (th_uri_is_recordable (slashes));
  g_assert_true (th_uri_is_recordable (longest));
}

static const PathRow arguments[] = {
  { "file:///a%20b", "file:///a%20b" }, { "file:/a", "file:/a" },
  { "smb://h/x", "smb://h/x" },         { "/a:b", "file:///a:b" },
  { "/x://y", "file:///x:/y" },         { "/100%", "file:///100%25" },
};

static void
test_arguments (void)
{
  g_autofree char *here = g_get_current_dir ();
  g_autofree char *colon_path = g_build_filename (here, "a:b", NULL);
  g_autofree char *expected = g_filename_to_uri (colon_path, NULL, NULL);
  g_autofree char *colon = th_uri_from_argument ("a:b");

  g_assert_cmpstr (colon, ==, expected);
  for (gsize i = 0; i < G_N_ELEMENTS (arguments); i++)
    {
      g_autofree char *uri = th_uri_from_argument (arguments[i].path);

      g_assert_cmpstr (uri, ==, arguments[i].uri);
    }
}

static void
test_folders (void)
{
  static const struct
  {
    const char *uri;
    const char *folders; /* itself and all above it */
  } rows[] = {
    { "file:///a/b.png", "file:///a/b.png|file:///a|file:///" },
    { "file:///a//", "file:///a|file:///" },
    { "file:///", "file:///" },
    { "file://", "file:///" },
    { "file:////", "file:///" },
    { "sftp://host/x", "sftp://host/x|sftp://host/" },
    { "sftp://host", "sftp://host/" },
    { "trash:///x", "trash:///x|trash:///" },
    { "mailto:a/b/", "mailto:a/b" },
    { "no uri", "no uri" },
    { "/", "/" },
    { "", "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *at = th_uri_as_folder (rows[i].uri);
      g_autoptr (GString) found = g_string_new (at);

      while (th_uri_cut_to_folder (at))
        g_string_append_printf (found, "|%s", at);
      g_assert_cmpstr (found->str, ==, rows[i].folders);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/uri/md5", test_md5);
  g_test_add_func ("/uri/names", test_names);
  g_test_add_func ("/uri/every-byte", test_every_byte);
  g_test_add_func ("/uri/canonical", test_canonical);
  g_test_add_func ("/uri/relative", test_relative);
  g_test_add_func ("/uri/spellings", test_spellings);
  g_test_add_func ("/uri/refused", test_refused);
  g_test_add_func ("/uri/long", test_long);
  g_test_add_func ("/uri/arguments", test_arguments);
  g_test_add_func ("/uri/folders", test_folders);
  return g_test_run ();
}
