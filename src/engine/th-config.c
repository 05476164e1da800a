/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-config.h"

#include <stddef.h>

#define GROUP "limits"
#define MIB   (1024u * 1024u)

typedef struct
{
  const char *key;
  gsize offset;  /* in ThLimits */
  gboolean wide; /* guint64, else guint32 */
  guint64 unit;
  guint64 min; /* in units */
  guint64 max;
} LimitRow;

#define WIDE(field)   offsetof (ThLimits, field), TRUE
#define NARROW(field) offsetof (ThLimits, field), FALSE

static const LimitRow rows[] = {
  { "max-megapixels", WIDE (max_pixels), 1000000, 1, 100000 },
  { "max-decode-mib", WIDE (max_plan_bytes), MIB, 1, 1024 * 1024 },
  { "memory-budget-mib", WIDE (budget_bytes), MIB, 1, 1024 * 1024 },
  { "cpu-seconds", NARROW (cpu_ms), 1000, 1, 86400 },
  { "wall-seconds", NARROW (wall_ms), 1000, 1, 86400 },
};

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
find_row (const char *key)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_str_equal (rows[i].key, key))
      return &rows[i];
  return NULL;
}

static void
set_limit (ThLimits *limits, const LimitRow *row, guint64 value)
{
  guint8 *field = (guint8 *) limits + row->offset;

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
read_limit (GKeyFile *file, const char *key, ThLimits *limits, GPtrArray *problems)
{
  const LimitRow *row = find_row (key);
  g_autofree char *text = g_key_file_get_value (file, GROUP, key, NULL);
  guint64 value;

  if (row == NULL)
    complain (problems, g_strdup_printf ("[%s] has no key “%s”", GROUP, key));
  else if (text == NULL
           || !g_ascii_string_to_unsigned (g_strstrip (text), 10, row->min, row->max, &value, NULL))
    complain (problems,
              g_strdup_printf ("[%s] %s: “%s” is not a whole number from %" G_GUINT64_FORMAT
                               " to %" G_GUINT64_FORMAT,
                               GROUP, key, text != NULL ? text : "", row->min, row->max));
  else
    set_limit (limits, row, value);
}

gboolean
th_config_read_limits (const char *path, ThLimits *limits, GPtrArray *problems, GError **error)
{
  g_autoptr (GKeyFile) file = th_config_load (path, error);
  g_auto (GStrv) keys = NULL;

  if (file == NULL)
    return FALSE;
  keys = g_key_file_get_keys (file, GROUP, NULL, NULL);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    read_limit (file, keys[i], limits, problems);
  return TRUE;
}
