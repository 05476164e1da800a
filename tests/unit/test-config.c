/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/th-engine.h"

#define MIB (1024u * 1024u)

static char *
write_config (const char *text)
{
  g_autofree char *folder = g_build_filename (g_get_user_config_dir (), "thimble", NULL);
  char *path = g_build_filename (folder, "thimble.conf", NULL);

  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

/* The files that the tests write, and their folders. */
static void
remove_all (const char *folder)
{
  static const char *const names[] = { "home/thimble/thimble.conf",
                                       "home/tumbler/tumbler.rc",
                                       "home/tumbler",
                                       "home/thimble",
                                       "home",
                                       "first/thimble/thimble.conf",
                                       "first/thimble",
                                       "first",
                                       "second/thimble/thimble.conf",
                                       "second/thimble",
                                       "second",
                                       "" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      g_remove (path);
    }
}

static void
test_defaults (void)
{
  ThEngineOptions options;
  ThLimits limits;
  g_autoptr (GError) error = NULL;

  th_limits_init (&limits);
  th_engine_options_init (&options);
  g_assert_true (th_engine_options_load (&options, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (options.problems->len, ==, 0);
  g_assert_cmpuint (options.limits.max_pixels, ==, limits.max_pixels);
  g_assert_cmpuint (options.limits.wall_ms, ==, limits.wall_ms);
  g_assert_true (options.limits.embedded_previews);
  g_assert_cmpuint (options.worker_files, ==, 256);
  g_assert_cmpuint (options.worker_idle_ms, ==, 30000);
  th_engine_options_clear (&options);
}

static void
test_all_keys (void)
{
  g_autofree char *path = write_config ("# all\n[limits]\nmax-megapixels=50\n"
                                        "max-decode-mib = 64 \nmemory-budget-mib=200\n"
                                        "cpu-seconds=3\nwall-seconds=4\n"
                                        "embedded-previews=false\n");
  ThEngineOptions options;

  th_engine_options_init (&options);
  g_assert_true (th_engine_options_load (&options, NULL));
  g_assert_cmpuint (options.problems->len, ==, 0);
  g_assert_cmpstr (options.config_path, ==, path);
  g_assert_cmpuint (options.limits.max_pixels, ==, 50000000);
  g_assert_cmpuint (options.limits.max_plan_bytes, ==, 64 * MIB);
  g_assert_cmpuint (options.limits.budget_bytes, ==, 200 * MIB);
  g_assert_cmpuint (options.limits.cpu_ms, ==, 3000);
  g_assert_cmpuint (options.limits.wall_ms, ==, 4000);
  g_assert_false (options.limits.embedded_previews);
  th_engine_options_clear (&options);
}

typedef struct
{
  const char *line;
  const char *complaint;
} BadRow;

static const BadRow bad[] = {
  { "max-megapixels=0", "max-megapixels" },
  { "max-megapixels=-5", "-5" },
  { "max-megapixels=many", "many" },
  { "max-megapixels=", "max-megapixels" },
  { "max-megapixels=99999999999999999999", "whole number" },
  { "max-megapixels=100001", "100000" },
  { "max-megapixels=3.5", "3.5" },
  { "cpu-seconds=4294968", "cpu-seconds" },
  { "max-megapixel=5", "no such key" },
  { "[limits]]", "heading" },
  { "=3", "neither" },
  { "only text", "neither" },
  { "\xff=1", "UTF-8" },
  { "[limitz]\nx=1\n[limits]", "no such group" },
  { "embedded-previews=perhaps", "neither true nor false" },
};

/* The default stays, and a sentence says so; the other keys still count. */
static void
test_bad_values (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autofree char *text = g_strdup_printf ("[limits]\nwall-seconds=9\n%s\n", bad[i].line);
      g_autofree char *path = write_config (text);
      g_autofree char *where = g_strdup_printf ("%s:3: ", path);
      ThEngineOptions options;
      ThLimits defaults;

      th_limits_init (&defaults);
      th_engine_options_init (&options);
      (void) th_engine_options_load (&options, NULL);
      g_assert_cmpuint (options.limits.wall_ms, ==, 9000);
      g_assert_cmpuint (options.limits.max_pixels, ==, defaults.max_pixels);
      g_assert_cmpuint (options.limits.cpu_ms, ==, defaults.cpu_ms);
      g_assert_cmpuint (options.problems->len, ==, 1);
      g_test_message ("%s", (char *) options.problems->pdata[0]);
      g_assert_true (g_str_has_prefix (options.problems->pdata[0], where));
      g_assert_nonnull (strstr (options.problems->pdata[0], bad[i].complaint));
      th_engine_options_clear (&options);
    }
}

/* Said, and what could be read counts. */
static void
test_not_a_key_file (void)
{
  g_autofree char *path = write_config ("max-megapixels=5\n[rules]\nexclude=/a\n");
  g_autofree char *where = g_strdup_printf ("%s:1: ", path);
  g_autofree char *why = NULL;
  g_autoptr (GError) error = NULL;
  const ThRulesFile file = { .path = "/a/b.png", .codec = "png" };
  ThEngineOptions options;

  th_engine_options_init (&options);
  g_assert_false (th_engine_options_load (&options, &error));
  g_assert_nonnull (error);
  g_assert_true (g_str_has_prefix (error->message, where));
  why = th_rules_forbid (options.rules, &file, TH_RULES_ALL);
  g_assert_nonnull (why);
  th_engine_options_clear (&options);
}

static void
write_tumbler (const char *text)
{
  g_autofree char *folder = g_build_filename (g_get_user_config_dir (), "tumbler", NULL);
  g_autofree char *path = g_build_filename (folder, "tumbler.rc", NULL);

  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static char *
forbids (const ThEngineOptions *options)
{
  const ThRulesFile file = { .path = "/a/b.png", .codec = "png" };

  return th_rules_forbid (options->rules, &file, TH_RULES_ALL);
}

/* tumbler's rules hold until there are own ones. */
static void
test_tumbler (void)
{
  g_autofree char *conf = write_config ("");
  g_autofree char *why = NULL;
  g_autofree char *own = NULL;
  g_autofree char *path = NULL;
  ThEngineOptions options;

  g_unlink (conf);
  write_tumbler ("[PixbufThumbnailer]\nExcludes=/a;\n");
  th_engine_options_init (&options);
  g_assert_true (th_engine_options_load (&options, NULL));
  g_assert_true (g_str_has_suffix (options.config_path, "tumbler.rc"));
  g_assert_cmpuint (options.problems->len, ==, 0);
  why = forbids (&options);
  g_assert_nonnull (strstr (why, "[PixbufThumbnailer]"));
  /* One that makes no sense is told and stops nobody. */
  write_tumbler ("Excludes=/a\n");
  g_assert_true (th_engine_options_load (&options, NULL));
  g_assert_cmpuint (options.problems->len, ==, 1);
  g_assert_true (th_rules_are_empty (options.rules));
  path = write_config ("[rules]\nexclude=/a\n");
  g_assert_true (th_engine_options_load (&options, NULL));
  g_assert_cmpstr (options.config_path, ==, path);
  own = forbids (&options);
  g_assert_nonnull (strstr (own, "[rules]"));
  th_engine_options_clear (&options);
}

/* A pipe that nobody writes into would be waited for. */
static void
test_pipe (void)
{
  g_autofree char *path = write_config ("");
  g_autoptr (ThConf) conf = NULL;

  g_assert_no_errno (g_unlink (path));
  g_assert_no_errno (mkfifo (path, 0600));
  conf = th_config_load ();
  g_assert_nonnull (strstr (th_conf_fault (conf), path));
  g_assert_no_errno (g_unlink (path));
}

static char *
write_system (guint i, const char *text)
{
  g_autofree char *folder = g_build_filename (g_get_system_config_dirs ()[i], "thimble", NULL);
  char *path = g_build_filename (folder, "thimble.conf", NULL);

  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

static void
expect_where (const ThConf *conf, const char *key, const char *path, guint line)
{
  g_autofree char *where = g_strdup_printf ("%s:%u", path, line);

  g_assert_cmpstr (th_conf_where (conf, "limits", key), ==, where);
}

/* Key by key: the user's over the first of the system's over the second. */
static void
test_merged (void)
{
  g_autofree char *own = write_config ("[limits]\ncpu-seconds=1\n");
  g_autofree char *first = write_system (0, "\n[limits]\r\ncpu-seconds=2\nwall-seconds=2\n");
  g_autofree char *second = write_system (
      1, "[rules]\n[limits]\ncpu-seconds=3\nwall-seconds=3\nmax-megapixels=3\n[limits]\n"
         "max-megapixels=4\n");
  g_autofree char *all = g_strdup_printf ("%s, over %s, over %s", own, first, second);
  g_autoptr (ThConf) conf = th_config_load ();
  ThEngineOptions options;

  th_engine_options_init (&options);
  g_assert_true (th_engine_options_load (&options, NULL));
  g_assert_cmpuint (options.limits.cpu_ms, ==, 1000);
  g_assert_cmpuint (options.limits.wall_ms, ==, 2000);
  g_assert_cmpuint (options.limits.max_pixels, ==, 4000000);
  g_assert_cmpstr (options.config_path, ==, all);
  g_assert_cmpuint (options.problems->len, ==, 0);
  expect_where (conf, "cpu-seconds", own, 2);
  expect_where (conf, "wall-seconds", first, 4);
  expect_where (conf, "max-megapixels", second, 7);
  th_engine_options_clear (&options);
  g_unlink (first);
  g_unlink (second);
}

typedef struct
{
  char *group;
  char *key;
  char *value;
} Documented;

static void
documented_free (gpointer data)
{
  Documented *entry = data;

  g_free (entry->group);
  g_free (entry->key);
  g_free (entry->value);
  g_free (entry);
}

/* What stands behind a heading of the man page, as “key=value   words”. */
static GPtrArray *
read_manual (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "data", "thimbled.8", NULL);
  g_autoptr (GRegex) heading = g_regex_new ("^\\[([^]]+)\\]", 0, 0, NULL);
  g_autoptr (GRegex) key = g_regex_new ("^([a-z-]+)=(\\S*)(\\s|$)", 0, 0, NULL);
  GPtrArray *entries = g_ptr_array_new_with_free_func (documented_free);
  g_autofree char *text = NULL;
  g_autofree char *group = NULL;
  g_auto (GStrv) lines = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_autoptr (GMatchInfo) match = NULL;
      Documented *entry;

      if (g_regex_match (heading, lines[i], 0, &match))
        {
          g_free (group);
          group = g_match_info_fetch (match, 1);
          continue;
        }
      g_clear_pointer (&match, g_match_info_unref);
      if (group == NULL || !g_regex_match (key, lines[i], 0, &match))
        continue;
      entry = g_new0 (Documented, 1);
      entry->group = g_strdup (group);
      entry->key = g_match_info_fetch (match, 1);
      entry->value = g_match_info_fetch (match, 2);
      g_ptr_array_add (entries, entry);
    }
  return entries;
}

/* What the keys fill, as one text. */
static char *
describe (const ThEngineOptions *o)
{
  return g_strdup_printf (
      "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %u %u %d, %u %" G_GUINT64_FORMAT
      " %d, %u %u %" G_GUINT64_FORMAT " %d, %" G_GUINT64_FORMAT " %u, %u %d %u %d",
      o->limits.max_pixels, o->limits.max_plan_bytes, o->limits.cpu_ms, o->limits.wall_ms,
      o->limits.embedded_previews, o->external.wall_ms, o->external.memory_bytes,
      o->external.allow_unsandboxed, o->readers.stall_ms, o->readers.total_ms, o->readers.max_bytes,
      o->fetch_cloud, o->sweep.max_bytes, o->sweep.max_age, o->specialist_ms, o->keep_encrypted,
      o->idle_seconds, o->rules == NULL || th_rules_are_empty (o->rules));
}

static guint
load_one (const Documented *entry, const char *value, ThEngineOptions *options)
{
  g_autofree char *text = g_strdup_printf ("[%s]\n%s=%s\n", entry->group, entry->key, value);

  g_free (write_config (text));
  th_engine_options_init (options);
  g_assert_true (th_engine_options_load (options, NULL));
  return options->problems->len;
}

static void
check_documented (const Documented *entry)
{
  g_autofree char *with = NULL;
  g_autofree char *without = NULL;
  ThEngineOptions options;

  /* An example of the rules for all, not a default. */
  const char *value = g_str_equal (entry->key, "exclude") ? "" : entry->value;

  g_test_message ("[%s] %s=%s", entry->group, entry->key, entry->value);
  th_engine_options_init (&options);
  without = describe (&options);
  th_engine_options_clear (&options);
  g_assert_cmpuint (load_one (entry, value, &options), ==, 0);
  with = describe (&options);
  g_assert_cmpstr (with, ==, without);
  th_engine_options_clear (&options);
  /* Somebody reads it. */
  g_assert_cmpuint (load_one (entry, "?", &options), ==, 1);
  g_assert_null (strstr (options.problems->pdata[0], "no such"));
  th_engine_options_clear (&options);
}

static gboolean
is_documented (const GPtrArray *entries, const char *group, const char *key)
{
  for (guint i = 0; i < entries->len; i++)
    {
      const Documented *entry = entries->pdata[i];

      if (g_str_equal (entry->group, group) && g_str_equal (entry->key, key))
        return TRUE;
    }
  return FALSE;
}

/* The man page says what there is and how it is set, no more and no less. */
static void
test_manual (void)
{
  g_autoptr (GPtrArray) entries = read_manual ();
  const char *group = NULL;
  const char *key;

  g_assert_cmpuint (entries->len, >=, 20);
  for (guint i = 0; i < entries->len; i++)
    check_documented (entries->pdata[i]);
  for (guint i = 0; (key = th_config_nth (i, &group)) != NULL; i++)
    {
      g_test_message ("[%s] %s", group, key);
      g_assert_true (is_documented (entries, group, key));
    }
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("thimble-config-XXXXXX", NULL);
  g_autofree char *home = g_build_filename (folder, "home", NULL);
  g_autofree char *system = g_strdup_printf ("%s/first:%s/second", folder, folder);
  int result;

  g_setenv ("XDG_CONFIG_HOME", home, TRUE);
  g_setenv ("XDG_CONFIG_DIRS", system, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/config/defaults", test_defaults);
  g_test_add_func ("/config/all-keys", test_all_keys);
  g_test_add_func ("/config/bad-values", test_bad_values);
  g_test_add_func ("/config/not-a-key-file", test_not_a_key_file);
  g_test_add_func ("/config/pipe", test_pipe);
  g_test_add_func ("/config/tumbler", test_tumbler);
  g_test_add_func ("/config/merged", test_merged);
  g_test_add_func ("/config/manual", test_manual);
  result = g_test_run ();
  remove_all (folder);
  return result;
}
