/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-entries.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define HEAD "[Thumbnailer Entry]\n"
#define GOOD HEAD "Exec=prog %i %o\nMimeType=video/x-a;\n"

/* Folders as of one user and two systems. */
typedef struct
{
  char *root;
  char *folders[4];
  ThEntries *entries;
} World;

static void
set_up (World *world, gconstpointer unused)
{
  static const char *const names[] = { "user", "local", "system" };

  *world = (World){ .root = g_dir_make_tmp ("thimble-entries-XXXXXX", NULL) };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      world->folders[i] = g_build_filename (world->root, names[i], NULL);
      g_assert_no_errno (g_mkdir (world->folders[i], 0700));
    }
  world->entries = th_entries_new ((const char *const *) world->folders);
}

static void
empty_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_no_errno (g_remove (path));
    }
  g_assert_no_errno (g_rmdir (folder));
}

static void
tear_down (World *world, gconstpointer unused)
{
  th_entries_free (world->entries);
  for (guint i = 0; world->folders[i] != NULL; i++)
    {
      empty_folder (world->folders[i]);
      g_free (world->folders[i]);
    }
  g_assert_no_errno (g_rmdir (world->root));
  g_free (world->root);
}

static void
put (World *world, guint folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (world->folders[folder], name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  th_entries_expire (world->entries);
}

/* "FOLDER/NAME …" of what serves a type, in order. */
static char *
served (World *world, const char *type)
{
  g_autoptr (GPtrArray) found = th_entries_find (world->entries, type);
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < found->len; i++)
    {
      const ThEntry *entry = found->pdata[i];

      g_string_append_printf (out, "%s%s", i > 0 ? " " : "",
                              entry->path + strlen (world->root) + 1);
    }
  g_assert_cmpint (found->len > 0, ==, th_entries_serve (world->entries, type));
  return g_string_free (out, FALSE);
}

#define assert_served(world, type, expected)                                                       \
  G_STMT_START                                                                                     \
  {                                                                                                \
    g_autofree char *got = served (world, type);                                                   \
    g_assert_cmpstr (got, ==, expected);                                                           \
  }                                                                                                \
  G_STMT_END

static void
test_parsing (World *world, gconstpointer unused)
{
  static const struct
  {
    const char *text;
    gboolean good;
  } rows[] = {
    { GOOD, TRUE },
    { HEAD "Exec=prog %u %o\nMimeType=video/x-a;", TRUE },
    { HEAD "Exec=prog --in=%i --out=%o\nMimeType=a/b", TRUE },
    { HEAD "Exec=prog %i\nMimeType=a/b;", FALSE },
    { HEAD "Exec=prog %o\nMimeType=a/b;", FALSE },
    { HEAD "Exec=prog %%i %%o\nMimeType=a/b;", FALSE },
    { HEAD "Exec=prog %%%i %%%o\nMimeType=a/b;", TRUE },
    { HEAD "Exec=\nMimeType=a/b;", FALSE },
    { HEAD "Exec=prog 'unfinished %i %o\nMimeType=a/b;", FALSE },
    { HEAD "MimeType=a/b;", FALSE },
    { HEAD "Exec=prog %i %o\n", FALSE },
    { HEAD "Exec=prog %i %o\nMimeType=;;", FALSE },
    { HEAD "Exec=prog %i %o\nMimeType=inode/directory;", FALSE },
    { HEAD "Exec=prog %i %o\nMimeType=nonsense;*/*;a b/c;", FALSE },
    { "[Other]\nExec=prog %i %o\nMimeType=a/b;", FALSE },
    { "no key file", FALSE },
    { "", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_build_filename (world->folders[0], "x.thumbnailer", NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (ThEntry) entry = NULL;

      g_test_message ("%s", rows[i].text);
      g_assert_true (g_file_set_contents (path, rows[i].text, -1, NULL));
      entry = th_entry_load (path, &error);
      g_assert_cmpint (entry != NULL, ==, rows[i].good);
      g_assert_cmpint (error == NULL, ==, rows[i].good);
    }
}

static void
test_expansion (World *world, gconstpointer unused)
{
  static const struct
  {
    const char *exec;
    const char *words; /* separated by | */
  } rows[] = {
    { "prog -s %s %u %o", "prog|-s|256|file:///in/a%20b.mkv|/out/x.png" },
    { "prog %i %o", "prog|/in/a b.mkv|/out/x.png" },
    { "prog --in=%i:%s --out=%o", "prog|--in=/in/a b.mkv:256|--out=/out/x.png" },
    { "'a prog' \"%i\" '%o'", "a prog|/in/a b.mkv|/out/x.png" },
    { "prog '%i %s' %o", "prog|/in/a b.mkv 256|/out/x.png" },
    { "prog %m %i %o", "prog|/in/a b.mkv|/out/x.png" },
    { "prog type=%m %i %o", "prog|type=|/in/a b.mkv|/out/x.png" },
    { "prog 100%% %i %o", "prog|100%|/in/a b.mkv|/out/x.png" },
    { "prog %q%z %i %o", "prog|qz|/in/a b.mkv|/out/x.png" },
    { "prog %%i %i %o %", "prog|%i|/in/a b.mkv|/out/x.png|" },
    { "prog '' %i %o", "prog||/in/a b.mkv|/out/x.png" },
    { "sh -c 'x \"$1\" > \"$2\"; $(y)' - %i %o",
      "sh|-c|x \"$1\" > \"$2\"; $(y)|-|/in/a b.mkv|/out/x.png" },
  };
  const ThEntryValues values = { "/in/a b.mkv", "/out/x.png", 256 };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_build_filename (world->folders[0], "x.thumbnailer", NULL);
      g_autoptr (GKeyFile) file = g_key_file_new ();
      g_auto (GStrv) expected = g_strsplit (rows[i].words, "|", -1);
      g_auto (GStrv) words = NULL;
      g_autoptr (ThEntry) entry = NULL;

      g_key_file_set_string (file, "Thumbnailer Entry", "Exec", rows[i].exec);
      g_key_file_set_string (file, "Thumbnailer Entry", "MimeType", "a/b;");
      g_assert_true (g_key_file_save_to_file (file, path, NULL));
      entry = th_entry_load (path, NULL);
      g_assert_nonnull (entry);
      words = th_entry_expand (entry, &values);
      g_assert_cmpstrv (words, expected);
    }
}

static void
test_order (World *world, gconstpointer unused)
{
  put (world, 2, "c.thumbnailer", GOOD);
  put (world, 2, "a.thumbnailer", GOOD);
  put (world, 1, "b.thumbnailer", GOOD);
  put (world, 0, "z.thumbnailer", GOOD);
  put (world, 2, "late.thumbnailer", GOOD "[X-Tumbler Settings]\nPriority=-1\n");
  put (world, 2, "early.thumbnailer", GOOD "[X-Tumbler Settings]\nPriority=7\n");
  put (world, 2, "no.txt", GOOD);
  assert_served (world, "video/x-a",
                 "system/early.thumbnailer user/z.thumbnailer local/b.thumbnailer "
                 "system/a.thumbnailer system/c.thumbnailer system/late.thumbnailer");
  assert_served (world, "VIDEO/X-A",
                 "system/early.thumbnailer user/z.thumbnailer local/b.thumbnailer "
                 "system/a.thumbnailer system/c.thumbnailer system/late.thumbnailer");
  assert_served (world, "video/x-b", "");
  assert_served (world, "", "");
  assert_served (world, "no type", "");
}

static void
test_masking (World *world, gconstpointer unused)
{
  static const struct
  {
    const char *user;
    const char *served;
    const char *said;
  } rows[] = {
    { GOOD, "user/x.thumbnailer", NULL },
    { GOOD "[X-Tumbler Settings]\nDisabled=true\n", "", NULL },
    { GOOD "[X-Tumbler Settings]\nDisabled=false\n", "user/x.thumbnailer", NULL },
    { "broken", "", "*x.thumbnailer is left out: *" },
    { HEAD "Exec=prog %o\nMimeType=video/x-a;\n", "",
      "*x.thumbnailer is left out: *neither %u nor %i" },
    { "", "", NULL },
    { HEAD "Exec=prog %i %o\nMimeType=video/x-b;\n", "", NULL },
    { GOOD HEAD "TryExec=thimble-no-such-program\n", "", NULL },
  };

  put (world, 2, "x.thumbnailer", GOOD);
  put (world, 1, "x.thumbnailer", GOOD);
  assert_served (world, "video/x-a", "local/x.thumbnailer");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_test_message ("%s", rows[i].user);
      put (world, 0, "x.thumbnailer", rows[i].user);
      if (rows[i].said != NULL)
        g_test_expect_message (G_LOG_DOMAIN, G_LOG_LEVEL_MESSAGE, rows[i].said);
      assert_served (world, "video/x-a", rows[i].served);
      g_test_assert_expected_messages ();
    }
}

/* The usual way to switch one off. */
static void
test_null_link (World *world, gconstpointer unused)
{
  g_autofree char *path = g_build_filename (world->folders[0], "x.thumbnailer", NULL);

  put (world, 2, "x.thumbnailer", GOOD);
  g_assert_no_errno (symlink ("/dev/null", path));
  th_entries_expire (world->entries);
  assert_served (world, "video/x-a", "");
}

static void
test_own (World *world, gconstpointer unused)
{
  put (world, 2, "thimble.thumbnailer", GOOD);
  put (world, 2, "other.thumbnailer",
       HEAD "Exec=/usr/bin/env thimble-thumbnailer %i %o\nMimeType=video/x-a;\n");
  assert_served (world, "video/x-a", "");
}

static void
test_try_exec (World *world, gconstpointer unused)
{
  g_autofree char *program = g_build_filename (world->root, "program", NULL);
  g_autofree char *text =
      g_strdup_printf (HEAD "Exec=%s %%i %%o\nTryExec=%s\nMimeType=a/b;\n", program, program);
  g_auto (GStrv) none = NULL;
  g_auto (GStrv) one = NULL;

  put (world, 0, "x.thumbnailer", text);
  assert_served (world, "a/b", "");
  none = th_entries_types (world->entries);
  g_assert_cmpuint (g_strv_length (none), ==, 0);
  /* Installed while we run: the entry is the same as before. */
  g_assert_true (g_file_set_contents_full (program, "", 0, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
  assert_served (world, "a/b", "user/x.thumbnailer");
  one = th_entries_types (world->entries);
  g_assert_cmpuint (g_strv_length (one), ==, 1);
  g_assert_no_errno (g_unlink (program));
}

static void
test_types (World *world, gconstpointer unused)
{
  static const char *const expected[] = { "a/a", "a/b", "video/x-a", NULL };
  g_auto (GStrv) types = NULL;

  put (world, 1, "x.thumbnailer", HEAD "Exec=p %i %o\nMimeType= A/B ;a/a;inode/directory;a/b\n");
  put (world, 2, "y.thumbnailer", GOOD);
  types = th_entries_types (world->entries);
  g_assert_cmpstrv (types, expected);
}

/* Changed where it lies, as an editor or a package does; and again without waiting. */
static void
test_reload (World *world, gconstpointer unused)
{
  g_autofree char *path = g_build_filename (world->folders[1], "x.thumbnailer", NULL);

  assert_served (world, "video/x-a", "");
  put (world, 1, "x.thumbnailer", GOOD);
  assert_served (world, "video/x-a", "local/x.thumbnailer");
  put (world, 1, "x.thumbnailer", HEAD "Exec=prog %i %o\nMimeType=video/x-b;\n");
  assert_served (world, "video/x-a", "");
  assert_served (world, "video/x-b", "local/x.thumbnailer");
  g_assert_no_errno (g_unlink (path));
  th_entries_expire (world->entries);
  assert_served (world, "video/x-b", "");
}

static void
test_many_types (World *world, gconstpointer unused)
{
  put (world, 0, "x.thumbnailer", GOOD);
  for (guint i = 0; i < 3000; i++)
    {
      g_autofree char *type = g_strdup_printf ("video/x-none-%u", i);

      g_assert_false (th_entries_serve (world->entries, type));
      g_assert_true (th_entries_serve (world->entries, "video/x-a"));
    }
}

static void
test_rules (World *world, gconstpointer unused)
{
  static const struct
  {
    const char *text;
    const char *path;
    guint64 bytes;
    gboolean allowed;
  } rows[] = {
    { "", "/a/b", 1, TRUE },
    { "MaxFileSize=100", "/a/b", 100, TRUE },
    { "MaxFileSize=100", "/a/b", 101, FALSE },
    { "MaxFileSize=0", "/a/b", G_MAXUINT64, TRUE },
    { "MaxFileSize=-5", "/a/b", 101, TRUE },
    { "MaxFileSize=nonsense", "/a/b", 101, TRUE },
    { "Locations=/a", "/a/b", 1, TRUE },
    { "Locations=/a/", "/a/b/c", 1, TRUE },
    { "Locations=/a", "/ab", 1, FALSE },
    { "Locations=/x;/a;", "/a/b", 1, TRUE },
    { "Locations=/", "/a", 1, TRUE },
    { "Locations=;", "/a", 1, TRUE },
    { "Locations=file:///a%20b", "/a b/c", 1, TRUE },
    { "Locations=$THIMBLE_TEST_PLACE", "/place/c", 1, TRUE },
    { "Locations=${THIMBLE_TEST_PLACE}/d", "/place/d/c", 1, TRUE },
    { "Locations=${THIMBLE_TEST_PLACE}/d", "/place/c", 1, FALSE },
    { "Excludes=/a", "/a/b", 1, FALSE },
    { "Excludes=/a;", "/b/a", 1, TRUE },
    { "Locations=/a\nExcludes=/a/b", "/a/b/c", 1, FALSE },
    { "Locations=/a\nExcludes=/a/b", "/a/c", 1, TRUE },
  };

  g_setenv ("THIMBLE_TEST_PLACE", "/place", TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strconcat ("[G]\n", rows[i].text, "\n", NULL);
      g_autoptr (GKeyFile) file = g_key_file_new ();
      ThEntryRules rules;

      g_test_message ("%s: %s", rows[i].text, rows[i].path);
      g_assert_true (g_key_file_load_from_data (file, text, strlen (text), 0, NULL));
      th_entry_rules_read (&rules, file, "G");
      g_assert_cmpint (th_entry_rules_allow (&rules, rows[i].path, rows[i].bytes), ==,
                       rows[i].allowed);
      th_entry_rules_clear (&rules);
    }
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*test) (World *world, gconstpointer unused);
  } tests[] = {
    { "/entries/parsing", test_parsing },     { "/entries/expansion", test_expansion },
    { "/entries/order", test_order },         { "/entries/masking", test_masking },
    { "/entries/null-link", test_null_link }, { "/entries/own", test_own },
    { "/entries/try-exec", test_try_exec },   { "/entries/types", test_types },
    { "/entries/reload", test_reload },       { "/entries/many-types", test_many_types },
    { "/entries/rules", test_rules },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].name, World, NULL, set_up, tests[i].test, tear_down);
  return g_test_run ();
}
