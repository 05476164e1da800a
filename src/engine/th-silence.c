/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-silence.h"

/* Names come from clients: they are remembered only while there are few. */
#define MAX_NAMES 256u

struct _ThSilence
{
  gint64 span;
  GMutex lock;
  GHashTable *until; /* name → gint64, monotonic */
};

ThSilence *
th_silence_new (gint64 span)
{
  ThSilence *silence = g_new0 (ThSilence, 1);

  silence->span = span;
  g_mutex_init (&silence->lock);
  silence->until = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return silence;
}

void
th_silence_free (ThSilence *silence)
{
  g_hash_table_unref (silence->until);
  g_mutex_clear (&silence->lock);
  g_free (silence);
}

void
th_silence_add (ThSilence *silence, const char *name)
{
  gint64 until = g_get_monotonic_time () + silence->span;

  g_mutex_lock (&silence->lock);
  if (g_hash_table_size (silence->until) >= MAX_NAMES)
    g_hash_table_remove_all (silence->until);
  g_hash_table_replace (silence->until, g_strdup (name), g_memdup2 (&until, sizeof until));
  g_mutex_unlock (&silence->lock);
}

gboolean
th_silence_has (ThSilence *silence, const char *name)
{
  const gint64 *until;
  gboolean has;

  g_mutex_lock (&silence->lock);
  until = g_hash_table_lookup (silence->until, name);
  has = until != NULL && *until > g_get_monotonic_time ();
  g_mutex_unlock (&silence->lock);
  return has;
}
