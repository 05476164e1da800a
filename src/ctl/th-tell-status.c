/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/th-tell-status.h"

#include "ctl/th-text.h"

/* What the codes of Thumbnailer1.Error stand for. */
static const char *const error_words[] = {
  "no handler",      "no answer of a specialised thumbnailer",
  "damaged data",    "thumbnails themselves",
  "not writable",    "no such flavor",
  "nothing to show", "shutting down",
  "other",
};

static guint64
number (GVariant *status, const char *key)
{
  guint64 value = 0;

  g_variant_lookup (status, key, "t", &value);
  return value;
}

static guint32
small_number (GVariant *status, const char *key)
{
  guint32 value = 0;

  g_variant_lookup (status, key, "u", &value);
  return value;
}

static const char *
text (GVariant *status, const char *key)
{
  const char *value = NULL;

  g_variant_lookup (status, key, "&s", &value);
  return value;
}

static guint64
of_class (GVariant *status, const char *key, const char *klass)
{
  g_autoptr (GVariant) classes = g_variant_lookup_value (status, key, G_VARIANT_TYPE ("a{st}"));

  return classes != NULL ? number (classes, klass) : 0;
}

static void add_line (GString *out, const char *what, const char *format, ...) G_GNUC_PRINTF (3, 4);

static void
add_line (GString *out, const char *what, const char *format, ...)
{
  g_autofree char *raw = NULL;
  g_autofree char *line = NULL;
  va_list arguments;

  va_start (arguments, format);
  raw = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  line = th_text_for_people (raw);
  g_string_append_printf (out, "%-11s %s\n", what, line);
}

/* With a plain space, by which scripts may go. */
static char *
bytes (guint64 n)
{
  g_autofree char *size = g_format_size_full (n, G_FORMAT_SIZE_IEC_UNITS);
  g_auto (GStrv) parts = g_strsplit (size, "\u00a0", -1);

  return g_strjoinv (" ", parts);
}

static void
add_service (GString *out, GVariant *status)
{
  guint64 seconds = number (status, "uptime") / 1000;
  const char *version = text (status, "version");
  const char *trouble = text (status, "trouble");
  const char *external = text (status, "external-trouble");

  add_line (out, "service", "thimbled %s, process %u, up %u:%02u:%02u",
            version != NULL ? version : "?", small_number (status, "pid"), (guint) (seconds / 3600),
            (guint) (seconds / 60 % 60), (guint) (seconds % 60));
  if (trouble != NULL)
    add_line (out, "trouble", "no picture can be decoded: %s", trouble);
  if (external != NULL)
    add_line (out, "trouble", "no program of others can be run: %s", external);
}

static void
add_queue (GString *out, GVariant *status)
{
  add_line (out, "queue",
            "%" G_GUINT64_FORMAT " in the foreground (%" G_GUINT64_FORMAT
            " at work), %" G_GUINT64_FORMAT " in the background (%" G_GUINT64_FORMAT
            " at work), of %u requests",
            of_class (status, "queued", "foreground"), of_class (status, "running", "foreground"),
            of_class (status, "queued", "background"), of_class (status, "running", "background"),
            small_number (status, "requests"));
}

static void
add_speed (GString *out, GVariant *status)
{
  guint64 seconds = small_number (status, "recent-seconds");
  guint64 uptime = number (status, "uptime") / 1000;
  double span = (double) CLAMP (uptime, 1, MAX (seconds, 1));
  g_autofree char *rate = bytes ((guint64) ((double) number (status, "recent-bytes") / span));
  g_autofree char *all = bytes (number (status, "bytes"));

  add_line (out, "throughput",
            "%.1f files/s, %s/s in the last %.0f s; %" G_GUINT64_FORMAT
            " files, %s since the start, %" G_GUINT64_FORMAT " thumbnails",
            (double) number (status, "recent-files") / span, rate, span, number (status, "files"),
            all, number (status, "thumbnails"));
}

static void
add_cache (GString *out, GVariant *status)
{
  guint64 hits = number (status, "hits");
  guint64 misses = number (status, "misses");

  add_line (out, "cache", "%" G_GUINT64_FORMAT " hits, %" G_GUINT64_FORMAT " misses (%.0f %% hits)",
            hits, misses, hits > 0 ? 100.0 * (double) hits / ((double) hits + (double) misses) : 0);
}

static void
add_memory (GString *out, GVariant *status)
{
  g_autoptr (GVariant) workers =
      g_variant_lookup_value (status, "workers", G_VARIANT_TYPE ("a(subtt)"));
  g_autofree char *own = bytes (number (status, "memory"));
  g_autofree char *used = bytes (number (status, "budget-used"));
  g_autofree char *budget = bytes (number (status, "budget"));
  g_autofree char *theirs = NULL;
  guint64 sum = 0;

  for (gsize i = 0; workers != NULL && i < g_variant_n_children (workers); i++)
    {
      guint64 memory = 0;

      g_variant_get_child (workers, i, "(&subtt)", NULL, NULL, NULL, NULL, &memory);
      sum += memory;
    }
  theirs = bytes (sum);
  add_line (out, "memory", "%s, workers %s; decodes have %s of %s", own, theirs, used, budget);
}

static void
add_workers (GString *out, GVariant *status)
{
  g_autoptr (GVariant) workers =
      g_variant_lookup_value (status, "workers", G_VARIANT_TYPE ("a(subtt)"));
  gsize n = workers != NULL ? g_variant_n_children (workers) : 0;

  if (n == 0)
    add_line (out, "workers", "none");
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *size = NULL;
      const char *module;
      guint32 pid;
      gboolean busy;
      guint64 files, memory;

      g_variant_get_child (workers, i, "(&subtt)", &module, &pid, &busy, &files, &memory);
      size = bytes (memory);
      add_line (
          out, i == 0 ? "workers" : "", "%-8s process %u, %s, %" G_GUINT64_FORMAT " files, %s",
          module[0] != '\0' ? module : "built-in", pid, busy ? "at work" : "idle", files, size);
    }
}

/* What people asked for and did not get, then how decodes ended that gave no picture. */
static void
add_failures (GString *out, GVariant *status)
{
  g_autoptr (GVariant) errors = g_variant_lookup_value (status, "errors", G_VARIANT_TYPE ("a{ut}"));
  g_autoptr (GVariant) decodes =
      g_variant_lookup_value (status, "decodes", G_VARIANT_TYPE ("a{st}"));
  g_autoptr (GString) told = g_string_new (NULL);
  g_autoptr (GString) ended = g_string_new (NULL);
  guint32 code;
  const char *word;
  guint64 n;
  GVariantIter iter;

  if (errors != NULL)
    for (g_variant_iter_init (&iter, errors); g_variant_iter_next (&iter, "{ut}", &code, &n);)
      g_string_append_printf (told, "%s%s %" G_GUINT64_FORMAT, told->len > 0 ? ", " : "",
                              code < G_N_ELEMENTS (error_words) ? error_words[code] : "other", n);
  if (decodes != NULL)
    for (g_variant_iter_init (&iter, decodes); g_variant_iter_next (&iter, "{&st}", &word, &n);)
      g_string_append_printf (ended, "%s%s %" G_GUINT64_FORMAT, ended->len > 0 ? ", " : "", word,
                              n);
  add_line (out, "failures", "%s", told->len > 0 ? told->str : "none");
  add_line (out, "decodes", "%s", ended->len > 0 ? ended->str : "none");
}

char *
th_tell_status (GVariant *status)
{
  GString *out = g_string_new (NULL);

  add_service (out, status);
  add_queue (out, status);
  add_speed (out, status);
  add_cache (out, status);
  add_failures (out, status);
  add_memory (out, status);
  add_workers (out, status);
  return g_string_free (out, FALSE);
}

static void tell_value (ThJson *json, const char *key, GVariant *value);

static void
tell_worker (ThJson *json, GVariant *worker)
{
  const char *module;
  guint32 pid;
  gboolean busy;
  guint64 files, memory;

  g_variant_get (worker, "(&subtt)", &module, &pid, &busy, &files, &memory);
  th_json_begin_object (json, NULL);
  th_json_string (json, "kind", module[0] != '\0' ? module : "built-in");
  th_json_integer (json, "pid", pid);
  th_json_string (json, "state", busy ? "busy" : "idle");
  th_json_size (json, "files", files);
  th_json_size (json, "memory", memory);
  th_json_end (json);
}

/* Keys are ours in the status itself; within, they are words that stay as they are. */
static void
tell_dictionary (ThJson *json, GVariant *dictionary, gboolean is_status)
{
  for (gsize i = 0; i < g_variant_n_children (dictionary); i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (dictionary, i);
      g_autoptr (GVariant) key = g_variant_get_child_value (entry, 0);
      g_autoptr (GVariant) value = g_variant_get_child_value (entry, 1);
      g_autoptr (GVariant) inner = g_variant_is_of_type (value, G_VARIANT_TYPE_VARIANT)
                                       ? g_variant_get_variant (value)
                                       : g_variant_ref (value);
      g_autofree char *name = g_variant_is_of_type (key, G_VARIANT_TYPE_STRING)
                                  ? g_variant_dup_string (key, NULL)
                                  : g_variant_print (key, FALSE);

      tell_value (json, is_status ? g_strdelimit (name, "-", '_') : name, inner);
    }
}

/* Kinds that no version has told so far are left out. */
static void
tell_value (ThJson *json, const char *key, GVariant *value)
{
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    th_json_string (json, key, g_variant_get_string (value, NULL));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_UINT32))
    th_json_integer (json, key, g_variant_get_uint32 (value));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_UINT64))
    th_json_size (json, key, g_variant_get_uint64 (value));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_DICTIONARY))
    {
      th_json_begin_object (json, key);
      tell_dictionary (json, value, FALSE);
      th_json_end (json);
    }
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE ("a(subtt)")))
    {
      th_json_begin_array (json, key);
      for (gsize i = 0; i < g_variant_n_children (value); i++)
        {
          g_autoptr (GVariant) worker = g_variant_get_child_value (value, i);

          tell_worker (json, worker);
        }
      th_json_end (json);
    }
}

void
th_tell_status_json (ThJson *json, GVariant *status)
{
  tell_dictionary (json, status, TRUE);
}
