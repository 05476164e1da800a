/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-mime.h"

#include <glib/gstdio.h>
#include <string.h>

#include "engine/th-types.h"

/* A MIME database of our own, whatever the system has. */
static void
write_file (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
make_database (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_data_dir (), "mime", NULL);

  write_file (folder, "aliases",
              "image/x-a image/a\nimage/old-b image/b\nnonsense\nimage/x-z image/z\n");
  write_file (folder, "subclasses", "image/a-kind image/a\nimage/a-grandchild image/a-kind\n");
}

static void
remove_database (const char *home)
{
  static const char *const names[] = { "mime/aliases", "mime/subclasses", "mime", "" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (home, names[i], NULL);

      g_remove (path);
    }
}

static ThMime *
mime_of (const char *text)
{
  g_autofree char *folder = g_dir_make_tmp ("thimble-mime-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "x.manifest", NULL);
  g_autofree char *other = g_build_filename (folder, "x.text", NULL);
  g_autoptr (GError) error = NULL;
  ThMime *mime;

  write_file (folder, "x.manifest", text);
  write_file (folder, "x.text", "[Codec no]\nMimeTypes=image/no;\n");
  mime = th_mime_new (folder, NULL, &error);
  if (mime == NULL)
    g_assert_nonnull (error);
  g_unlink (path);
  g_unlink (other);
  g_rmdir (folder);
  return mime;
}

static void
test_manifest (void)
{
  g_autoptr (ThMime) mime = mime_of ("[Codec a]\nMimeTypes=image/a; image/B ;;bad;/;x/;image/a b;\n"
                                     "[Other]\nMimeTypes=image/other;\n[Codec c]\nNothing=1\n"
                                     "[Codec d]\nMimeTypes=image/d\n");
  static const char *const types[] = { "image/a",     "image/b",   "image/d",
                                       "image/old-b", "image/x-a", NULL };

  g_assert_nonnull (mime);
  g_assert_cmpstrv (th_mime_types (mime), types);
}

typedef struct
{
  const char *type;
  gboolean tried;
} TypeRow;

static const TypeRow types[] = {
  { "image/a", TRUE },
  { "IMAGE/A", TRUE },
  { "image/x-a", TRUE },
  { "image/a-kind", TRUE },
  { "image/a-grandchild", TRUE },
  { "image/b", FALSE },
  { "image/unheard-of", FALSE },
  { "text/plain", FALSE },
  { "", TRUE },
  { "application/octet-stream", TRUE },
  { "application/x-zerosize", TRUE },
  { "image/", FALSE },
  { "/", FALSE },
  { "image/a;image/a", FALSE },
  { "\xc3\xa4/\xc3\xb6", FALSE },
};

static void
test_tries (void)
{
  g_autoptr (ThMime) mime = mime_of ("[Codec a]\nMimeTypes=image/a;\n");

  for (guint round = 0; round < 2; round++)
    for (guint i = 0; i < G_N_ELEMENTS (types); i++)
      {
        g_test_message ("%s", types[i].type);
        g_assert_cmpint (th_mime_tries (mime, types[i].type), ==, types[i].tried);
      }
  g_assert_false (th_mime_tries (mime, "no type at all"));
}

/* Whatever clients invent: no growth, and the answers stay right. */
static void
test_flood (void)
{
  g_autoptr (ThMime) mime = mime_of ("[Codec a]\nMimeTypes=image/a;\n");

  for (guint i = 0; i < 5000; i++)
    {
      g_autofree char *type = g_strdup_printf ("image/invented-%u", i);

      g_assert_false (th_mime_tries (mime, type));
      g_assert_true (th_mime_tries (mime, "image/a"));
    }
}

static const struct
{
  const char *type;
  const char *codec;
} codec_rows[] = {
  { "image/a", "first" },
  { "image/x-a", "first" },
  { "image/a-grandchild", "first" },
  { "image/old-b", "second" },
  { "image/shared", "first" },
  { "image/c", NULL },
  { "", "" },
  { "application/octet-stream", "" },
};

/* A type that two codecs name is the first one's, as is the order of the manifest. */
static void
test_codecs (void)
{
  g_autoptr (ThMime) mime = mime_of ("[Codec first]\nMimeTypes=image/a;image/shared;\n"
                                     "[Codec second]\nMimeTypes=image/b;image/shared\n");
  g_autofree const char **codecs = th_mime_codecs (mime);

  for (guint i = 0; i < G_N_ELEMENTS (codec_rows); i++)
    g_assert_cmpstr (th_mime_codec (mime, codec_rows[i].type), ==, codec_rows[i].codec);
  g_assert_cmpuint (g_strv_length ((char **) codecs), ==, 2);
  g_assert_true (g_strv_contains (codecs, "first"));
  g_assert_true (g_strv_contains (codecs, "second"));
}

static void
expect_chain (const char *type, const char *expected)
{
  g_auto (GStrv) chain = th_types_chain (type);
  g_autofree char *joined = g_strjoinv (" ", chain);

  g_assert_cmpstr (joined, ==, expected);
}

static void
test_chain (void)
{
  expect_chain ("image/a-grandchild",
                "image/a-grandchild image/a-kind image/a application/octet-stream");
  expect_chain ("image/x-a", "image/x-a image/a application/octet-stream");
  expect_chain ("text/x-any", "text/x-any text/plain application/octet-stream");
  expect_chain ("text/plain", "text/plain application/octet-stream");
  expect_chain ("application/octet-stream", "application/octet-stream");
  expect_chain ("inode/directory", "inode/directory");
  expect_chain ("", " application/octet-stream");
}

static void
test_nothing (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (mime_of (""));
  g_assert_null (mime_of ("no key file"));
  g_assert_null (mime_of ("[Codec a]\nMimeTypes=\n"));
  g_assert_null (th_mime_new ("/nowhere/at/all", NULL, &error));
  g_assert_nonnull (error);
}

int
main (int argc, char **argv)
{
  g_autofree char *home = g_dir_make_tmp ("thimble-mime-home-XXXXXX", NULL);
  int result;

  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_setenv ("XDG_DATA_DIRS", "/nowhere", TRUE);
  g_test_init (&argc, &argv, NULL);
  make_database ();
  g_test_add_func ("/mime/manifest", test_manifest);
  g_test_add_func ("/mime/tries", test_tries);
  g_test_add_func ("/mime/flood", test_flood);
  g_test_add_func ("/mime/codecs", test_codecs);
  g_test_add_func ("/mime/chain", test_chain);
  g_test_add_func ("/mime/nothing", test_nothing);
  result = g_test_run ();
  remove_database (home);
  return result;
}
