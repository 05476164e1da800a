/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-rules.h"

#include <string.h>

#include "engine/th-place.h"

#define MIB           (1024u * 1024u)
#define EXTERNAL      "external"
#define CONF_GROUP    "rules"
#define CONF_PREFIX   "rules "
#define MAX_FILE_MIB  (1024u * 1024u)
#define MAX_FILE_SIZE ((guint64) G_MAXINT64)

/* Keys that can forbid. */
typedef enum
{
  DECIDING_INCLUDE,
  DECIDING_EXCLUDE,
  DECIDING_SIZE,
  DECIDING_SWITCH,
  N_DECIDING
} Deciding;

/* What one group says. */
typedef struct
{
  char *group;
  const char *codec;  /* NULL: all; interned */
  gboolean any_codec; /* speaks also for files whose format is not known yet */
  gboolean disabled;
  gint64 priority;
  gboolean restricted; /* to the included ones, even if none of those could be understood */
  GPtrArray *include;  /* ThPlace */
  GPtrArray *exclude;
  guint64 max_size;        /* bytes; 0: any */
  char *where[N_DECIDING]; /* " (FILE:LINE)" or "" */
} RuleSet;

struct _ThRules
{
  gatomicrefcount refs;
  gboolean empty;
  GPtrArray *common; /* RuleSet; one that forbids suffices */
  GPtrArray *sets; /* RuleSet, first by priority; of those that are about a file all must forbid */
};

/* Names of the keys, which the two files spell differently. */
typedef struct
{
  const char *include;
  const char *exclude;
  const char *size;
  guint64 size_unit;
  guint64 size_max; /* units */
  const char *enabled;
  const char *disabled;
  const char *priority;
} Spelling;

static const Spelling conf_spelling = {
  .include = "include",
  .exclude = "exclude",
  .size = "max-file-mib",
  .size_unit = MIB,
  .size_max = MAX_FILE_MIB,
  .enabled = "enabled",
};

static const Spelling tumbler_spelling = {
  .include = "Locations",
  .exclude = "Excludes",
  .size = "MaxFileSize",
  .size_unit = 1,
  .size_max = MAX_FILE_SIZE,
  .disabled = "Disabled",
  .priority = "Priority",
};

/* Thumbnailers of tumbler and the formats that they make of those that are decoded here. The
 * others, which stand in the file as it comes with tumbler, have no counterpart. */
static const struct
{
  const char *group;
  const char *codec; /* NULL: all */
} tumbler_groups[] = {
  { "JPEGThumbnailer", "jpeg" },
  { "PixbufThumbnailer", NULL },
  { "DesktopThumbnailer", EXTERNAL },
};

static RuleSet *
rule_set_new (const char *group, const char *codec)
{
  RuleSet *set = g_new0 (RuleSet, 1);

  set->group = g_strdup (group);
  set->codec = g_intern_string (codec);
  set->include = g_ptr_array_new_with_free_func ((GDestroyNotify) th_place_free);
  set->exclude = g_ptr_array_new_with_free_func ((GDestroyNotify) th_place_free);
  return set;
}

static void
rule_set_free (gpointer data)
{
  RuleSet *set = data;

  g_free (set->group);
  g_ptr_array_unref (set->include);
  g_ptr_array_unref (set->exclude);
  for (guint i = 0; i < N_DECIDING; i++)
    g_free (set->where[i]);
  g_free (set);
}

static gboolean
says_nothing (const RuleSet *set)
{
  return !set->disabled && !set->restricted && set->exclude->len == 0 && set->max_size == 0;
}

ThRules *
th_rules_new (void)
{
  ThRules *rules = g_new0 (ThRules, 1);

  g_atomic_ref_count_init (&rules->refs);
  rules->empty = TRUE;
  rules->common = g_ptr_array_new_with_free_func (rule_set_free);
  rules->sets = g_ptr_array_new_with_free_func (rule_set_free);
  return rules;
}

ThRules *
th_rules_ref (ThRules *rules)
{
  g_atomic_ref_count_inc (&rules->refs);
  return rules;
}

void
th_rules_unref (ThRules *rules)
{
  if (!g_atomic_ref_count_dec (&rules->refs))
    return;
  g_ptr_array_unref (rules->common);
  g_ptr_array_unref (rules->sets);
  g_free (rules);
}

/* TRUE where the list names anything, understood or not. */
static gboolean
read_places (ThConf *conf, const RuleSet *set, const char *key, GPtrArray *places)
{
  g_auto (GStrv) list =
      g_key_file_get_string_list (th_conf_keys (conf), set->group, key, NULL, NULL);
  gboolean any = FALSE;

  for (guint i = 0; list != NULL && list[i] != NULL; i++)
    {
      const char *written = g_strstrip (list[i]);
      ThPlace *place = written[0] != '\0' ? th_place_new (written) : NULL;

      any = any || written[0] != '\0';
      if (place != NULL)
        g_ptr_array_add (places, place);
      else if (written[0] != '\0')
        th_conf_complain (conf, set->group, key, "“%s” is no absolute path", written);
    }
  return any;
}

static void
read_size (ThConf *conf, RuleSet *set, const Spelling *spelling)
{
  g_autofree char *text =
      g_key_file_get_value (th_conf_keys (conf), set->group, spelling->size, NULL);
  guint64 value;

  if (text == NULL)
    return;
  if (g_ascii_string_to_unsigned (g_strstrip (text), 10, 0, spelling->size_max, &value, NULL))
    set->max_size = value * spelling->size_unit;
  else
    th_conf_complain (conf, set->group, spelling->size, "“%s” is no size", text);
}

static gboolean
read_boolean (ThConf *conf, const RuleSet *set, const char *key, gboolean fallback)
{
  g_autofree char *text =
      key != NULL ? g_key_file_get_value (th_conf_keys (conf), set->group, key, NULL) : NULL;
  g_autoptr (GError) error = NULL;
  gboolean value;

  if (text == NULL)
    return fallback;
  value = g_key_file_get_boolean (th_conf_keys (conf), set->group, key, &error);
  if (error == NULL)
    return value;
  th_conf_complain (conf, set->group, key, "“%s” is neither true nor false", text);
  return fallback;
}

static void
note_places (ThConf *conf, RuleSet *set, const Spelling *spelling)
{
  const char *keys[] = {
    [DECIDING_INCLUDE] = spelling->include,
    [DECIDING_EXCLUDE] = spelling->exclude,
    [DECIDING_SIZE] = spelling->size,
    [DECIDING_SWITCH] = spelling->enabled != NULL ? spelling->enabled : spelling->disabled,
  };

  for (guint i = 0; i < N_DECIDING; i++)
    {
      const char *where = th_conf_where (conf, set->group, keys[i]);

      set->where[i] = where != NULL ? g_strdup_printf (" (%s)", where) : g_strdup ("");
    }
}

static void
read_set (ThConf *conf, RuleSet *set, const Spelling *spelling)
{
  note_places (conf, set, spelling);
  set->restricted = read_places (conf, set, spelling->include, set->include);
  read_places (conf, set, spelling->exclude, set->exclude);
  read_size (conf, set, spelling);
  set->disabled = read_boolean (conf, set, spelling->disabled, FALSE)
                  || !read_boolean (conf, set, spelling->enabled, TRUE);
  if (spelling->priority != NULL)
    set->priority =
        g_key_file_get_integer (th_conf_keys (conf), set->group, spelling->priority, NULL);
}

/* A rule that is spelled wrongly would let through what it was meant to keep out. */
static void
find_unknown_keys (ThConf *conf, const RuleSet *set)
{
  const char *const known[] = { conf_spelling.include, conf_spelling.exclude, conf_spelling.size,
                                conf_spelling.enabled, NULL };
  g_auto (GStrv) keys = g_key_file_get_keys (th_conf_keys (conf), set->group, NULL, NULL);

  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    if (!g_strv_contains (known, keys[i]))
      th_conf_complain (conf, set->group, keys[i], "there is no such key");
}

static void
note_emptiness (ThRules *rules)
{
  for (guint i = 0; i < rules->common->len; i++)
    rules->empty = rules->empty && says_nothing (rules->common->pdata[i]);
  for (guint i = 0; i < rules->sets->len; i++)
    rules->empty = rules->empty && says_nothing (rules->sets->pdata[i]);
}

ThRules *
th_rules_from_conf (ThConf *conf)
{
  g_auto (GStrv) groups = g_key_file_get_groups (th_conf_keys (conf), NULL);
  ThRules *rules = th_rules_new ();

  for (guint i = 0; groups[i] != NULL; i++)
    {
      gboolean one = g_str_has_prefix (groups[i], CONF_PREFIX);
      RuleSet *set;

      if (!one && strcmp (groups[i], CONF_GROUP) != 0)
        continue;
      set = rule_set_new (groups[i], one ? groups[i] + strlen (CONF_PREFIX) : NULL);
      read_set (conf, set, &conf_spelling);
      find_unknown_keys (conf, set);
      g_ptr_array_add (one ? rules->sets : rules->common, set);
    }
  note_emptiness (rules);
  return rules;
}

static int
by_priority (gconstpointer a, gconstpointer b)
{
  const RuleSet *x = *(RuleSet *const *) a;
  const RuleSet *y = *(RuleSet *const *) b;

  return (x->priority < y->priority) - (x->priority > y->priority);
}

ThRules *
th_rules_from_tumbler (ThConf *conf)
{
  ThRules *rules = th_rules_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (tumbler_groups); i++)
    {
      RuleSet *set = rule_set_new (tumbler_groups[i].group, tumbler_groups[i].codec);

      set->any_codec = set->codec == NULL || strcmp (set->codec, "jpeg") == 0;
      read_set (conf, set, &tumbler_spelling);
      g_ptr_array_add (rules->sets, set);
    }
  g_ptr_array_sort (rules->sets, by_priority);
  note_emptiness (rules);
  return rules;
}

void
th_rules_check_codecs (const ThRules *rules, const char *const *codecs, ThConf *conf)
{
  for (guint i = 0; i < rules->sets->len; i++)
    {
      const RuleSet *set = rules->sets->pdata[i];

      if (set->codec != NULL && strcmp (set->codec, EXTERNAL) != 0
          && !g_strv_contains (codecs, set->codec))
        th_conf_complain (conf, set->group, NULL, "there is no such format");
    }
}

gboolean
th_rules_are_empty (const ThRules *rules)
{
  return rules->empty;
}

static const ThPlace *
find_place (const GPtrArray *places, const char *path)
{
  for (guint i = 0; path != NULL && i < places->len; i++)
    if (th_place_holds (places->pdata[i], path))
      return places->pdata[i];
  return NULL;
}

static char *
forbid_place (const RuleSet *set, const ThRulesFile *file)
{
  const ThPlace *place = find_place (set->exclude, file->path);

  if (place == NULL)
    place = find_place (set->exclude, file->real_path);
  if (place != NULL)
    return g_strdup_printf ("[%s] excludes “%s”%s", set->group, place->written,
                            set->where[DECIDING_EXCLUDE]);
  if (set->restricted && find_place (set->include, file->path) == NULL)
    return g_strdup_printf ("[%s] includes other places only%s", set->group,
                            set->where[DECIDING_INCLUDE]);
  return NULL;
}

static char *
forbid (const RuleSet *set, const ThRulesFile *file, ThRulesScope scope)
{
  char *why = forbid_place (set, file);

  if (why != NULL || scope == TH_RULES_PLACE)
    return why;
  if (set->disabled)
    return g_strdup_printf ("[%s] is switched off%s", set->group, set->where[DECIDING_SWITCH]);
  if (set->max_size > 0 && file->size > set->max_size)
    return g_strdup_printf ("[%s] allows files of at most %" G_GUINT64_FORMAT " bytes%s",
                            set->group, set->max_size, set->where[DECIDING_SIZE]);
  return NULL;
}

static gboolean
is_about (const RuleSet *set, const ThRulesFile *file)
{
  if (file->codec[0] == '\0')
    return set->any_codec;
  if (set->codec == NULL)
    return strcmp (file->codec, EXTERNAL) != 0;
  return strcmp (set->codec, file->codec) == 0;
}

char *
th_rules_forbid (const ThRules *rules, const ThRulesFile *file, ThRulesScope scope)
{
  g_autofree char *first = NULL;

  for (guint i = 0; i < rules->common->len; i++)
    {
      char *why = forbid (rules->common->pdata[i], file, scope);

      if (why != NULL)
        return why;
    }
  for (guint i = 0; i < rules->sets->len; i++)
    {
      const RuleSet *set = rules->sets->pdata[i];
      g_autofree char *why = is_about (set, file) ? forbid (set, file, scope) : NULL;

      if (why == NULL && is_about (set, file))
        return NULL;
      if (first == NULL)
        first = g_steal_pointer (&why);
    }
  return g_steal_pointer (&first);
}
