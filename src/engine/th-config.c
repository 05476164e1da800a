/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-config.h"

#include <stddef.h>

#define MIB (1024u * 1024u)

typedef struct
{
  const char *key;
  gsize offset;  /* in the record */
  gboolean wide; /* guint64, else guint32 */
  guint64 unit;
  guint64 min; /* in units */
  guint64 max;
} LimitRow;

#define WIDE(field)   offsetof (ThLimits, field), TRUE
#define NARROW(field) offsetof (ThLimits, field), FALSE

static const LimitRow limit_rows[] = {
  { "max-megapixels", WIDE (max_pixels), 1000000, 1, 100000 },
  { "max-decode-mib", WIDE (max_plan_bytes), MIB, 1, 1024 * 1024 },
  { "memory-budget-mib", WIDE (budget_bytes), MIB, 1, 1024 * 1024 },
  { "cpu-seconds", NARROW (cpu_ms), 1000, 1, 86400 },
  { "wall-seconds", NARROW (wall_ms), 1000, 1, 86400 },
};

#define EXTERNAL_WIDE(field)   offsetof (ThExternalOptions, field), TRUE
#define EXTERNAL_NARROW(field) offsetof (ThExternalOptions, field), FALSE

static const LimitRow external_rows[] = {
  { "wall-seconds", EXTERNAL_NARROW (wall_ms), 1000, 1, 86400 },
  { "memory-mib", EXTERNAL_WIDE (memory_bytes), MIB, 64, 1024 * 1024 },
};

#define REMOTE_WIDE(field)   offsetof (ThReadersOptions, field), TRUE
#define REMOTE_NARROW(field) offsetof (ThReadersOptions, field), FALSE

static const LimitRow remote_rows[] = {
  { "stall-seconds", REMOTE_NARROW (stall_ms), 1000, 1, 86400 },
  { "wall-seconds", REMOTE_NARROW (total_ms), 1000, 1, 86400 },
  { "max-mib", REMOTE_WIDE (max_bytes), MIB, 1, 1024 },
};

static const LimitRow specialized_rows[] = {
  { "wall-seconds", 0, FALSE, 1000, 1, 86400 },
};

#define CACHE_WIDE(field)   offsetof (ThSweepBudget, field), TRUE
#define CACHE_NARROW(field) offsetof (ThSweepBudget, field), FALSE

static const LimitRow cache_rows[] = {
  { "max-size-mib", CACHE_WIDE (max_bytes), MIB, 0, 1024 * 1024 },
  { "max-age-days", CACHE_NARROW (max_age), 1, 1, 36500 },
};

typedef struct
{
  const char *name;
  const LimitRow *rows;
  guint n_rows;
  const char *flag; /* a key that is true or false */
} Group;

static const Group limits_group = { "limits", limit_rows, G_N_ELEMENTS (limit_rows),
                                    "embedded-previews" };
static const Group external_group = { "external", external_rows, G_N_ELEMENTS (external_rows),
                                      "allow-unsandboxed" };
static const Group specialized_group = { "specialized", specialized_rows,
                                         G_N_ELEMENTS (specialized_rows), NULL };
static const Group remote_group = { "remote", remote_rows, G_N_ELEMENTS (remote_rows),
                                    "fetch-cloud" };
static const Group cache_group = { "cache", cache_rows, G_N_ELEMENTS (cache_rows), NULL };
static const Group privacy_group = { "privacy", NULL, 0, "encrypted-folders" };

static char *
find (const char *folder, const char *name, GFileTest test)
{
  const char *const *dirs = g_get_system_config_dirs ();
  g_autofree char *path = g_build_filename (g_get_user_config_dir (), folder, name, NULL);

  if (g_file_test (path, test))
    return g_steal_pointer (&path);
  for (guint i = 0; dirs[i] != NULL; i++)
    {
      g_autofree char *other = g_build_filename (dirs[i], folder, name, NULL);

      if (g_file_test (other, test))
        return g_steal_pointer (&other);
    }
  return NULL;
}

GKeyFile *
th_config_load (const char *path, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    {
      g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_PARSE, "%s: Not a regular file", path);
      return NULL;
    }
  if (g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, error))
    return g_steal_pointer (&file);
  g_prefix_error (error, "%s: ", path);
  return NULL;
}

char *
th_config_find (void)
{
  return find ("thimble", "thimble.conf", G_FILE_TEST_EXISTS);
}

char *
th_config_find_tumbler (void)
{
  return find ("tumbler", "tumbler.rc", G_FILE_TEST_IS_REGULAR);
}

static const LimitRow *
find_row (const Group *group, const char *key)
{
  for (guint i = 0; i < group->n_rows; i++)
    if (g_str_equal (group->rows[i].key, key))
      return &group->rows[i];
  return NULL;
}

static void
set_field (gpointer record, const LimitRow *row, guint64 value)
{
  guint8 *field = (guint8 *) record + row->offset;

  if (row->wide)
    *(guint64 *) (gpointer) field = value * row->unit;
  else
    *(guint32 *) (gpointer) field = (guint32) (value * row->unit);
}

static void
complain (GPtrArray *problems, char *text)
{
  if (problems != NULL)
    g_ptr_array_add (problems, text);
  else
    g_free (text);
}

static void
read_number (GKeyFile *file, const Group *group, const LimitRow *row, gpointer record,
             GPtrArray *problems)
{
  g_autofree char *text = g_key_file_get_value (file, group->name, row->key, NULL);
  guint64 value;

  if (text != NULL
      && g_ascii_string_to_unsigned (g_strstrip (text), 10, row->min, row->max, &value, NULL))
    set_field (record, row, value);
  else
    complain (problems, g_strdup_printf (
                            "[%s] %s: “%s” is not a whole number from %" G_GUINT64_FORMAT
                            " to %" G_GUINT64_FORMAT,
                            group->name, row->key, text != NULL ? text : "", row->min, row->max));
}

static void
read_group (GKeyFile *file, const Group *group, gpointer record, GPtrArray *problems)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, group->name, NULL, NULL);

  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      const LimitRow *row = find_row (group, keys[i]);

      if (row != NULL)
        read_number (file, group, row, record, problems);
      else if (g_strcmp0 (group->flag, keys[i]) != 0)
        complain (problems, g_strdup_printf ("[%s] has no key “%s”", group->name, keys[i]));
    }
}

static void
read_flag (GKeyFile *file, const Group *group, gboolean *flag, GPtrArray *problems)
{
  g_autofree char *text = g_key_file_get_value (file, group->name, group->flag, NULL);
  g_autoptr (GError) error = NULL;
  gboolean value;

  if (text == NULL)
    return;
  value = g_key_file_get_boolean (file, group->name, group->flag, &error);
  if (error == NULL)
    *flag = value;
  else
    complain (problems, g_strdup_printf ("[%s] %s: “%s” is neither true nor false", group->name,
                                         group->flag, text));
}

gboolean
th_config_read_limits (const char *path, ThLimits *limits, GPtrArray *problems, GError **error)
{
  g_autoptr (GKeyFile) file = th_config_load (path, error);

  if (file == NULL)
    return FALSE;
  read_group (file, &limits_group, limits, problems);
  read_flag (file, &limits_group, &limits->embedded_previews, problems);
  return TRUE;
}

void
th_config_read_external (GKeyFile *file, ThExternalOptions *options, GPtrArray *problems)
{
  read_group (file, &external_group, options, problems);
  read_flag (file, &external_group, &options->allow_unsandboxed, problems);
}

void
th_config_read_remote (GKeyFile *file, ThReadersOptions *options, gboolean *fetch_cloud,
                       GPtrArray *problems)
{
  read_group (file, &remote_group, options, problems);
  read_flag (file, &remote_group, fetch_cloud, problems);
}

void
th_config_read_specialized (GKeyFile *file, guint *wall_ms, GPtrArray *problems)
{
  read_group (file, &specialized_group, wall_ms, problems);
}

void
th_config_read_privacy (GKeyFile *file, gboolean *keep_encrypted, GPtrArray *problems)
{
  read_group (file, &privacy_group, NULL, problems);
  read_flag (file, &privacy_group, keep_encrypted, problems);
}

void
th_config_read_cache (GKeyFile *file, ThSweepBudget *budget, GPtrArray *problems)
{
  read_group (file, &cache_group, budget, problems);
}
