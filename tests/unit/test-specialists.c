/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who serves what, and in which order: description files, overrides and those that registered. */
#include "config.h"

#include "engine/th-specialists.h"

#include <glib/gstdio.h>
#include <utime.h>

#define TYPE "video/x-a"

/* Folders as of one user and one system. */
typedef struct
{
  char *root;
  char *folders[3];
  ThSpecialists *specialists;
} World;

static void
set_up (World *world, gconstpointer unused)
{
  static const char *const names[] = { "user", "system" };

  *world = (World){ .root = g_dir_make_tmp ("thimble-specialists-XXXXXX", NULL) };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      world->folders[i] = g_build_filename (world->root, names[i], NULL);
      g_assert_no_errno (g_mkdir (world->folders[i], 0700));
    }
  world->specialists = th_specialists_new ((const char *const *) world->folders);
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
  th_specialists_free (world->specialists);
  for (guint i = 0; world->folders[i] != NULL; i++)
    {
      empty_folder (world->folders[i]);
      g_free (world->folders[i]);
    }
  g_assert_no_errno (g_rmdir (world->root));
  g_free (world->root);
}

/* mtime in seconds. */
static void
write_file (World *world, guint folder, const char *name, const char *text, time_t mtime)
{
  g_autofree char *path = g_build_filename (world->folders[folder], name, NULL);
  struct utimbuf times = { mtime, mtime };

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_no_errno (utime (path, &times));
}

static void
describe (World *world, guint folder, const char *file, const char *name, time_t mtime)
{
  g_autofree char *text = g_strdup_printf (
      "[Specialized Thumbnailer]\nName=%s\nObjectPath=/a\nMimeTypes=" TYPE ";\n", name);

  write_file (world, folder, file, text, mtime);
}

/* The names of those that serve it, in order. */
static char *
names_of (World *world, const char *scheme, const char *type)
{
  g_autoptr (GPtrArray) found = th_specialists_find (world->specialists, scheme, type);
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < found->len; i++)
    g_string_append_printf (names, "%s ", ((const ThSpecialist *) found->pdata[i])->name);
  g_assert_cmpint (found->len > 0, ==, th_specialists_serve (world->specialists, scheme, type));
  return g_string_free (g_steal_pointer (&names), FALSE);
}

static void
assert_names (World *world, const char *expected)
{
  g_autofree char *names = names_of (world, "file", TYPE);

  g_assert_cmpstr (names, ==, expected);
}

static gboolean
enlist (World *world, const char *owner, const char *scheme, const char *type)
{
  const char *const schemes[] = { scheme, NULL };
  const char *const types[] = { type, NULL };

  return th_specialists_register (world->specialists, owner, schemes, types, NULL);
}

static void
test_newest_first (World *world, gconstpointer unused)
{
  describe (world, 0, "a.service", "org.a", 1000);
  describe (world, 1, "b.service", "org.b", 3000);
  describe (world, 1, "c.service", "org.c", 2000);
  assert_names (world, "org.b org.c org.a ");
}

/* The user's file counts, also where it switches one off. */
static void
test_masks (World *world, gconstpointer unused)
{
  describe (world, 0, "a.service", "org.user", 1000);
  describe (world, 1, "a.service", "org.system", 3000);
  write_file (world, 0, "b.service", "", 1000);
  describe (world, 1, "b.service", "org.masked", 3000);
  assert_names (world, "org.user ");
}

static void
test_registered_first (World *world, gconstpointer unused)
{
  describe (world, 0, "a.service", "org.a", 1000);
  g_assert_true (enlist (world, ":1.1", "file", TYPE));
  g_assert_true (enlist (world, ":1.2", "file", TYPE));
  assert_names (world, ":1.2 :1.1 org.a ");
  g_assert_true (enlist (world, ":1.1", "file", TYPE));
  assert_names (world, ":1.1 :1.2 org.a ");
  th_specialists_forget (world->specialists, ":1.1");
  th_specialists_forget (world->specialists, ":1.1");
  th_specialists_forget (world->specialists, ":1.9");
  assert_names (world, ":1.2 org.a ");
  th_specialists_forget (world->specialists, ":1.2");
  assert_names (world, "org.a ");
}

/* Those of the user before those of the system; of a group that says something else than its name
 * nothing is taken. */
static void
test_overrides (World *world, gconstpointer unused)
{
  describe (world, 0, "a.service", "org.a", 1000);
  describe (world, 0, "b.service", "org.b", 2000);
  describe (world, 0, "c.service", "org.c", 3000);
  write_file (world, 0, "overrides",
              "[file-" TYPE "]\nName=org.a\nUriScheme=file\nMimeType=" TYPE "\n", 1000);
  write_file (world, 1, "overrides",
              "[file-" TYPE "]\nName=org.b\nUriScheme=file\nMimeType=" TYPE "\n", 5000);
  g_assert_true (enlist (world, ":1.1", "file", TYPE));
  assert_names (world, "org.a :1.1 org.c org.b ");
}

static void
test_override_of_another (World *world, gconstpointer unused)
{
  describe (world, 0, "a.service", "org.a", 1000);
  describe (world, 0, "b.service", "org.b", 2000);
  write_file (world, 0, "overrides",
              "[other]\nName=org.a\nUriScheme=file\nMimeType=" TYPE "\n"
              "[file-x/y]\nName=org.a\nUriScheme=file\nMimeType=x/y\n"
              "[file-" TYPE "]\nUriScheme=file\n",
              1000);
  assert_names (world, "org.b org.a ");
}

static void
test_senseless_files (World *world, gconstpointer unused)
{
  static const char *const texts[] = {
    "no key file",
    "[Specialized Thumbnailer]\nName=org.a\nObjectPath=/a\n",
    "[Specialized Thumbnailer]\nName=org.a\nMimeTypes=" TYPE "\n",
    "[Specialized Thumbnailer]\nObjectPath=/a\nMimeTypes=" TYPE "\n",
    "[Specialized Thumbnailer]\nName=no name\nObjectPath=/a\nMimeTypes=" TYPE "\n",
    "[Specialized Thumbnailer]\nName=org.a\nObjectPath=a/\nMimeTypes=" TYPE "\n",
    "[Specialized Thumbnailer]\nName=org.a\nObjectPath=/a\nMimeTypes=a;;/;x y/z\n",
    "[Specialized Thumbnailer]\nName=org.a\nObjectPath=/a\nMimeTypes=" TYPE
    "\nUriSchemes=4;a b;;\n",
    "[Another]\nName=org.a\nObjectPath=/a\nMimeTypes=" TYPE "\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.service", i);

      write_file (world, 0, name, texts[i], 1000);
    }
  assert_names (world, "");
}

/* Scheme and type in upper and lower case are the same, aliases are not. */
static void
test_spelling (World *world, gconstpointer unused)
{
  g_autofree char *lower = NULL;
  g_autofree char *other = NULL;

  g_assert_true (enlist (world, ":1.1", "SFTP", "Video/X-A"));
  lower = names_of (world, "sftp", TYPE);
  other = names_of (world, "sftp", "video/x-b");
  g_assert_cmpstr (lower, ==, ":1.1 ");
  g_assert_cmpstr (other, ==, "");
}

static char **
many_types (guint from, guint n)
{
  char **types = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    types[i] = g_strdup_printf ("x/%u", from + i);
  return types;
}

static gboolean
enlist_many (World *world, const char *owner, guint from, guint n)
{
  const char *const schemes[] = { "file", "file", NULL };
  g_auto (GStrv) types = many_types (from, n);

  return th_specialists_register (world->specialists, owner, schemes, (const char *const *) types,
                                  NULL);
}

/* What is refused changes nothing; what is given back may be taken by others. */
static void
test_limits (World *world, gconstpointer unused)
{
  g_assert_false (enlist_many (world, ":1.0", 0, TH_SPECIALISTS_EACH + 1));
  for (guint i = 0; i < TH_SPECIALISTS_ALL / TH_SPECIALISTS_EACH; i++)
    {
      g_autofree char *owner = g_strdup_printf (":1.%u", i);

      g_assert_true (enlist_many (world, owner, 0, TH_SPECIALISTS_EACH));
    }
  g_assert_false (enlist (world, ":1.0", "file", TYPE));
  g_assert_false (enlist (world, ":1.99", "file", TYPE));
  assert_names (world, "");
  g_assert_true (enlist_many (world, ":1.0", 0, TH_SPECIALISTS_EACH));
  th_specialists_forget (world->specialists, ":1.1");
  g_assert_true (enlist_many (world, ":1.99", 5, TH_SPECIALISTS_EACH));
}

static void
note_pair (const char *scheme, const char *type, gpointer data)
{
  g_string_append_printf (data, "%s %s,", scheme, type);
}

static void
test_pairs (World *world, gconstpointer unused)
{
  g_autoptr (GString) pairs = g_string_new (NULL);

  describe (world, 0, "a.service", "org.a", 1000);
  g_assert_true (enlist (world, ":1.1", "sftp", "x/b"));
  g_assert_true (enlist (world, ":1.1", "sftp", "x/a"));
  g_assert_true (enlist (world, ":1.2", "file", TYPE));
  th_specialists_pairs (world->specialists, note_pair, pairs);
  g_assert_cmpstr (pairs->str, ==, "file " TYPE ",sftp x/a,sftp x/b,");
}

#define ADD(path, test) g_test_add (path, World, NULL, set_up, test, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/specialists/newest-first", test_newest_first);
  ADD ("/specialists/masks", test_masks);
  ADD ("/specialists/registered-first", test_registered_first);
  ADD ("/specialists/overrides", test_overrides);
  ADD ("/specialists/override-of-another", test_override_of_another);
  ADD ("/specialists/senseless-files", test_senseless_files);
  ADD ("/specialists/spelling", test_spelling);
  ADD ("/specialists/limits", test_limits);
  ADD ("/specialists/pairs", test_pairs);
  return g_test_run ();
}
