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
  g_assert_null (th_config_find ());
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
  g_autofree char *path = write_config ("[other]\nmax-megapixels=7\n[limits]\nmax-megapixels=50\n"
                                        "max-decode-mib = 64 \nmemory-budget-mib=200\n"
                                        "cpu-seconds=3\nwall-seconds=4\n"
                                        "embedded-previews=false\n");
  g_autofree char *found = th_config_find ();
  ThEngineOptions options;

  g_assert_cmpstr (found, ==, path);
  th_engine_options_init (&options);
  g_assert_true (th_engine_options_load (&options, NULL));
  g_assert_cmpuint (options.problems->len, ==, 0);
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
  { "max-megapixel=5", "no key" },
  { "embedded-previews=perhaps", "neither true nor false" },
};

/* The default stays, and a sentence says so; the other keys still count. */
static void
test_bad_values (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autofree char *text = g_strdup_printf ("[limits]\n%s\nwall-seconds=9\n", bad[i].line);
      g_autofree char *path = write_config (text);
      g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
      ThLimits limits, defaults;

      th_limits_init (&limits);
      th_limits_init (&defaults);
      g_assert_true (th_config_read_limits (path, &limits, problems, NULL));
      g_assert_cmpuint (limits.wall_ms, ==, 9000);
      g_assert_cmpuint (limits.max_pixels, ==, defaults.max_pixels);
      g_assert_cmpuint (limits.cpu_ms, ==, defaults.cpu_ms);
      g_assert_cmpuint (problems->len, ==, 1);
      g_assert_nonnull (strstr (problems->pdata[0], bad[i].complaint));
      g_assert_true (th_config_read_limits (path, &limits, NULL, NULL));
    }
}

static void
test_not_a_key_file (void)
{
  g_autofree char *path = write_config ("max-megapixels=5\n");
  g_autoptr (GError) error = NULL;
  ThEngineOptions options;

  th_engine_options_init (&options);
  g_assert_false (th_engine_options_load (&options, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, path));
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
  g_assert_null (options.rules);
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
  g_autoptr (GError) error = NULL;

  g_assert_no_errno (g_unlink (path));
  g_assert_no_errno (mkfifo (path, 0600));
  g_assert_null (th_config_load (path, &error));
  g_assert_nonnull (strstr (error->message, "Not a regular file"));
  g_assert_no_errno (g_unlink (path));
}

static void
test_system_folder (void)
{
  g_autofree char *folder = g_build_filename (g_get_system_config_dirs ()[1], "thimble", NULL);
  g_autofree char *path = g_build_filename (folder, "thimble.conf", NULL);
  g_autofree char *found = NULL;
  g_autofree char *own = NULL;
  g_autofree char *found_own = NULL;

  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  g_assert_true (g_file_set_contents (path, "[limits]\n", -1, NULL));
  own = write_config ("");
  g_assert_no_errno (g_unlink (own));
  found = th_config_find ();
  g_assert_cmpstr (found, ==, path);
  g_free (own);
  own = write_config ("[limits]\n");
  found_own = th_config_find ();
  g_assert_cmpstr (found_own, ==, own);
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
  g_test_add_func ("/config/system-folder", test_system_folder);
  result = g_test_run ();
  remove_all (folder);
  return result;
}
