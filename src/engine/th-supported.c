/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-engine-private.h"
#include "engine/th-errands.h"

/* GVfs may take so long to say which schemes it has, and is not asked again for so long where it
 * said nothing. */
#define SCHEMES_MS    1500u
#define SCHEMES_AGAIN (60 * G_USEC_PER_SEC)

typedef struct
{
  ThEngine *engine;
  ThEngineSupported done;
  gpointer data;
  GPtrArray *schemes;
  GPtrArray *types;
  GHashTable *seen; /* "SCHEME TYPE" */
} Question;

/* By readers of its own, whose patience is short: somebody waits for the answer. */
static void
ask_schemes (ThEngine *engine)
{
  ThReadersOptions options = engine->options.readers;
  g_autoptr (ThReaders) readers = NULL;
  gint64 now = g_get_monotonic_time ();

  if (engine->far_schemes != NULL || now < engine->ask_schemes_at)
    return;
  options.stall_ms = SCHEMES_MS;
  readers = th_readers_new (&options);
  engine->far_schemes = th_readers_schemes (readers, NULL);
  engine->ask_schemes_at = now + SCHEMES_AGAIN;
}

/* Each once. */
static void
add_pair (const char *scheme, const char *mime_type, gpointer data)
{
  Question *question = data;

  if (!g_hash_table_add (question->seen, g_strconcat (scheme, " ", mime_type, NULL)))
    return;
  g_ptr_array_add (question->schemes, g_strdup (scheme));
  g_ptr_array_add (question->types, g_strdup (mime_type));
}

static void
add_scheme (Question *question, const char *scheme, const char *const *types)
{
  for (guint i = 0; types[i] != NULL; i++)
    add_pair (scheme, types[i], question);
}

static void
find_out (gpointer errand, const gint *stop)
{
  Question *question = errand;
  ThEngine *engine = question->engine;
  const char *const *types = th_mime_types (engine->mime);

  ask_schemes (engine);
  add_scheme (question, "file", types);
  for (guint i = 0; engine->far_schemes != NULL && engine->far_schemes[i] != NULL; i++)
    add_scheme (question, engine->far_schemes[i], types);
  if (engine->check_tools.specialist_caller.call != NULL)
    th_specialists_pairs (engine->specialists, add_pair, question);
  g_ptr_array_add (question->schemes, NULL);
  g_ptr_array_add (question->types, NULL);
}

static void
tell (gpointer errand, gboolean complete)
{
  Question *question = errand;

  question->done (complete ? (const char *const *) question->schemes->pdata : NULL,
                  complete ? (const char *const *) question->types->pdata : NULL, question->data);
  g_ptr_array_unref (question->schemes);
  g_ptr_array_unref (question->types);
  g_hash_table_unref (question->seen);
  g_free (question);
}

static const ThErrandKind question_kind = { find_out, tell };

void
th_engine_supported (ThEngine *engine, ThEngineSupported done, gpointer data)
{
  Question *question = g_new0 (Question, 1);

  question->engine = engine;
  question->done = done;
  question->data = data;
  question->schemes = g_ptr_array_new_with_free_func (g_free);
  question->seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  question->types = g_ptr_array_new_with_free_func (g_free);
  th_errands_push (engine->questions, &question_kind, question);
}
