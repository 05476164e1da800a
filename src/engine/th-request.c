/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-request.h"

#include <string.h>

/* Of a URI that came without. */
#define UNKNOWN_TYPE "application/octet-stream"

static void
clear_outcome (gpointer data)
{
  ThOutcome *outcome = data;

  g_free (outcome->message);
}

/* Bytes that the strings of the request need, each MIME type counted once. */
static gsize
text_size (const char *const *uris, const char *const *mime_types, guint n, GHashTable *types)
{
  gsize size = 0;

  for (guint i = 0; i < n; i++)
    {
      size += strlen (uris[i]) + 1;
      if (i > 0 && g_str_equal (mime_types[i], mime_types[i - 1]))
        continue;
      if (g_hash_table_add (types, (gpointer) mime_types[i]))
        size += strlen (mime_types[i]) + 1;
    }
  return size;
}

static char *
append (char **end, const char *string)
{
  gsize size = strlen (string) + 1;
  char *copy = memcpy (*end, string, size);

  *end += size;
  return copy;
}

/* Gives each type that was counted its one copy. */
static GHashTable *
copy_types (GHashTable *types, char **end)
{
  GHashTable *copies = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer type;

  g_hash_table_iter_init (&iter, types);
  while (g_hash_table_iter_next (&iter, &type, NULL))
    {
      char *copy = append (end, type);

      g_hash_table_insert (copies, copy, copy);
    }
  return copies;
}

static void
fill_items (ThRequest *request, const char *const *uris, const char *const *mime_types)
{
  g_autoptr (GHashTable) types = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) copies = NULL;
  char *end;

  request->text = g_malloc (text_size (uris, mime_types, request->n_items, types));
  request->items = g_new0 (ThItem, request->n_items);
  end = request->text;
  copies = copy_types (types, &end);
  for (guint i = 0; i < request->n_items; i++)
    {
      ThItem *item = &request->items[i];

      item->uri = append (&end, uris[i]);
      if (i > 0 && g_str_equal (mime_types[i], mime_types[i - 1]))
        item->mime_type = item[-1].mime_type;
      else
        item->mime_type = g_hash_table_lookup (copies, mime_types[i]);
    }
}

static ThRequest *
request_new (guint n_uris, const char *flavor, ThClass klass)
{
  ThRequest *request = g_new0 (ThRequest, 1);

  g_atomic_ref_count_init (&request->refs);
  request->klass = klass;
  request->flavor_known = th_flavor_from_name (flavor, &request->flavor);
  request->n_items = n_uris;
  request->unsettled = n_uris;
  request->held = g_array_new (FALSE, FALSE, sizeof (guint32));
  request->outcomes = g_array_new (FALSE, FALSE, sizeof (ThOutcome));
  g_array_set_clear_func (request->outcomes, clear_outcome);
  return request;
}

ThRequest *
th_request_new (const char *const *uris, const char *const *mime_types, guint n_uris,
                const char *flavor, ThClass klass)
{
  ThRequest *request = request_new (n_uris, flavor, klass);

  for (guint i = 0; i < n_uris; i++)
    request->text_bytes += strlen (uris[i]) + 1;
  if (n_uris > 0)
    fill_items (request, uris, mime_types);
  return request;
}

ThRequest *
th_request_new_later (GVariant *uris, GVariant *mime_types, const char *flavor, ThClass klass)
{
  guint n = (guint) g_variant_n_children (uris);
  ThRequest *request = request_new (n, flavor, klass);

  request->text_bytes = g_variant_get_size (uris);
  if (n == 0)
    return request;
  request->lists[0] = g_variant_ref (uris);
  request->lists[1] = g_variant_ref (mime_types);
  return request;
}

void
th_request_fill (ThRequest *request)
{
  g_autofree const char **uris = NULL;
  g_autofree const char **types = NULL;
  gsize n_uris, n_types;

  if (request->lists[0] == NULL)
    return;
  uris = g_variant_get_strv (request->lists[0], &n_uris);
  types = g_variant_get_strv (request->lists[1], &n_types);
  types = g_renew (const char *, types, MAX (n_uris, n_types));
  for (gsize i = n_types; i < n_uris; i++)
    types[i] = UNKNOWN_TYPE;
  fill_items (request, uris, types);
  for (guint i = 0; i < G_N_ELEMENTS (request->lists); i++)
    g_clear_pointer (&request->lists[i], g_variant_unref);
}

/* The same URI twice must not come twice within one event: items are told apart by their rank. */
void
th_request_rank (ThRequest *request)
{
  g_autoptr (GHashTable) last = g_hash_table_new (g_str_hash, g_str_equal);

  request->ranked = TRUE;
  for (guint i = 0; i < request->n_items; i++)
    {
      ThItem *item = &request->items[i];
      const ThItem *earlier = g_hash_table_lookup (last, item->uri);

      if (earlier != NULL)
        {
          item->rank = earlier->rank + 1;
          request->has_duplicates = TRUE;
        }
      g_hash_table_replace (last, (gpointer) item->uri, item);
    }
}

ThRequest *
th_request_ref (ThRequest *request)
{
  g_atomic_ref_count_inc (&request->refs);
  return request;
}

void
th_request_unref (ThRequest *request)
{
  if (!g_atomic_ref_count_dec (&request->refs))
    return;
  g_array_unref (request->held);
  g_array_unref (request->outcomes);
  g_clear_pointer (&request->leaves, g_ptr_array_unref);
  for (guint i = 0; i < G_N_ELEMENTS (request->lists); i++)
    g_clear_pointer (&request->lists[i], g_variant_unref);
  g_free (request->items);
  g_free (request->text);
  g_free (request);
}

void
th_request_leave (ThRequest *request, ThLeave *leave)
{
  if (request->leaves == NULL)
    request->leaves = g_ptr_array_new_with_free_func ((GDestroyNotify) th_leave_unref);
  /* Unmounting may be tried again and again. */
  for (guint i = 0; i < request->leaves->len; i++)
    if (th_leave_is_same (request->leaves->pdata[i], leave))
      return;
  g_ptr_array_add (request->leaves, th_leave_ref (leave));
}
