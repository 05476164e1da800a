/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-config.h"

#include <stddef.h>

#define MIB     (1024u * 1024u)
#define TUMBLER "tumbler/tumbler.rc"

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

static const LimitRow service_rows[] = {
  { "idle-seconds", 0, FALSE, 1, 0, 7 * 24 * 3600 },
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
static const Group service_group = { "service", service_rows, G_N_ELEMENTS (service_rows), NULL };
static const Group privacy_group = { "privacy", NULL, 0, "encrypted-folders" };

static const Group *const groups[] = { &limits_group, &external_group, &specialized_group,
                                       &remote_group, &cache_group,    &service_group,
                                       &privacy_group };

static gboolean
is_group (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    if (g_str_equal (groups[i]->name, name))
      return TRUE;
  return g_str_equal (name, "rules") || g_str_has_prefix (name, "rules ");
}

static void
check_groups (ThConf *conf)
{
  g_auto (GStrv) names = g_key_file_get_groups (th_conf_keys (conf), NULL);

  for (guint i = 0; names[i] != NULL; i++)
    if (!is_group (names[i]))
      th_conf_complain (conf, names[i], NULL, "there is no such group");
}

/* The user's folder counts most, and of the system's the first. */
static ThConf *
load (const char *folder, const char *name)
{
  const char *const *dirs = g_get_system_config_dirs ();
  g_autofree char *own = g_build_filename (g_get_user_config_dir (), folder, name, NULL);
  ThConf *conf = th_conf_new ();

  for (guint i = g_strv_length ((char **) dirs); i > 0; i--)
    {
      g_autofree char *path = g_build_filename (dirs[i - 1], folder, name, NULL);

      th_conf_add_file (conf, path);
    }
  th_conf_add_file (conf, own);
  return conf;
}

ThConf *
th_config_load (void)
{
  ThConf *conf = load ("thimble", "thimble.conf");

  check_groups (conf);
  return conf;
}

/* As tumbler itself takes it: the first that there is. */
ThConf *
th_config_load_tumbler (void)
{
  const char *const *dirs = g_get_system_config_dirs ();
  g_autofree char *own = g_build_filename (g_get_user_config_dir (), TUMBLER, NULL);
  ThConf *conf = th_conf_new ();

  th_conf_add_file (conf, own);
  for (guint i = 0; dirs[i] != NULL && th_conf_files (conf)->len == 0; i++)
    {
      g_autofree char *path = g_build_filename (dirs[i], TUMBLER, NULL);

      th_conf_add_file (conf, path);
    }
  return conf;
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
read_number (ThConf *conf, const Group *group, const LimitRow *row, gpointer record)
{
  g_autofree char *text = g_key_file_get_value (th_conf_keys (conf), group->name, row->key, NULL);
  guint64 value;

  if (g_ascii_string_to_unsigned (text, 10, row->min, row->max, &value, NULL))
    set_field (record, row, value);
  else
    th_conf_complain (conf, group->name, row->key,
                      "“%s” is not a whole number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
                      "; the default holds",
                      text, row->min, row->max);
}

static void
read_flag (ThConf *conf, const Group *group, gboolean *flag)
{
  GKeyFile *keys = th_conf_keys (conf);
  g_autofree char *text = g_key_file_get_value (keys, group->name, group->flag, NULL);
  g_autoptr (GError) error = NULL;
  gboolean value;

  value = g_key_file_get_boolean (keys, group->name, group->flag, &error);
  if (error == NULL)
    *flag = value;
  else
    th_conf_complain (conf, group->name, group->flag,
                      "“%s” is neither true nor false; the default holds", text);
}

/* flag is NULL where the group has none. */
static void
read_group (ThConf *conf, const Group *group, gpointer record, gboolean *flag)
{
  g_auto (GStrv) keys = g_key_file_get_keys (th_conf_keys (conf), group->name, NULL, NULL);

  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      const LimitRow *row = find_row (group, keys[i]);

      if (row != NULL)
        read_number (conf, group, row, record);
      else if (g_strcmp0 (group->flag, keys[i]) == 0)
        read_flag (conf, group, flag);
      else
        th_conf_complain (conf, group->name, keys[i], "there is no such key");
    }
}

void
th_config_read_limits (ThConf *conf, ThLimits *limits)
{
  read_group (conf, &limits_group, limits, &limits->embedded_previews);
}

void
th_config_read_external (ThConf *conf, ThExternalOptions *options)
{
  read_group (conf, &external_group, options, &options->allow_unsandboxed);
}

void
th_config_read_remote (ThConf *conf, ThReadersOptions *options, gboolean *fetch_cloud)
{
  read_group (conf, &remote_group, options, fetch_cloud);
}

void
th_config_read_specialized (ThConf *conf, guint *wall_ms)
{
  read_group (conf, &specialized_group, wall_ms, NULL);
}

void
th_config_read_privacy (ThConf *conf, gboolean *keep_encrypted)
{
  read_group (conf, &privacy_group, NULL, keep_encrypted);
}

void
th_config_read_cache (ThConf *conf, ThSweepBudget *budget)
{
  read_group (conf, &cache_group, budget, NULL);
}

void
th_config_read_service (ThConf *conf, guint *idle_seconds)
{
  read_group (conf, &service_group, idle_seconds, NULL);
}

const char *
th_config_nth (guint i, const char **group)
{
  for (guint g = 0; g < G_N_ELEMENTS (groups); g++)
    {
      const Group *about = groups[g];
      guint n = about->n_rows + (about->flag != NULL ? 1 : 0);

      *group = about->name;
      if (i < n)
        return i < about->n_rows ? about->rows[i].key : about->flag;
      i -= n;
    }
  return NULL;
}
