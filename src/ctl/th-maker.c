/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/th-maker.h"

#include "ctl/th-guess.h"
#include "engine/th-partial.h"

/* What is in flight is bounded, whatever the size of the tree. */
#define GROUP_FILES  1000u
#define GROUPS       4u
#define FILL_US      (G_USEC_PER_SEC / 20)
#define MAX_ATTEMPTS 2u

typedef struct
{
  ThWalkFile file;
  const char *mime_type; /* interned */
  ThFlavors open;        /* not answered yet */
  gboolean failed;
  gboolean unsupported;
} Item;

/* Files that were queued together, in one request a flavor. */
typedef struct
{
  GPtrArray *items;
  GHashTable *by_uri; /* URI → Item, borrowed */
  guint requests;     /* not finished yet */
} Group;

typedef struct
{
  Group *group;
  ThFlavor flavor;
  guint attempt;
} Request;

struct _ThMaker
{
  ThWalk *walk;
  ThFlavors flavors;
  ThClass klass;
  ThMakerEvents events;
  gpointer data;
  ThBackend *backend;
  ThTally tally;
  GHashTable *groups;   /* a set, owned */
  GHashTable *requests; /* ticket → Request, owned */
  gboolean walked;
  guint pump;
};

static void
item_free (gpointer data)
{
  Item *item = data;

  th_walk_file_clear (&item->file);
  g_free (item);
}

static void
group_free (gpointer data)
{
  Group *group = data;

  g_hash_table_unref (group->by_uri);
  g_ptr_array_unref (group->items);
  g_free (group);
}

ThMaker *
th_maker_new (ThWalk *walk, ThFlavors flavors, ThClass klass, const ThMakerEvents *events,
              gpointer data)
{
  ThMaker *maker = g_new0 (ThMaker, 1);

  maker->walk = walk;
  maker->flavors = flavors;
  maker->klass = klass;
  maker->events = *events;
  maker->data = data;
  maker->groups = g_hash_table_new_full (NULL, NULL, group_free, NULL);
  maker->requests = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  return maker;
}

void
th_maker_free (ThMaker *maker)
{
  g_clear_handle_id (&maker->pump, g_source_remove);
  g_hash_table_unref (maker->requests);
  g_hash_table_unref (maker->groups);
  g_free (maker);
}

const ThTally *
th_maker_tally (const ThMaker *maker)
{
  return &maker->tally;
}

/* Called once an item's last flavor is answered. */
static void
settle (ThMaker *maker, const Item *item)
{
  if (item->failed)
    maker->tally.failed++;
  else if (item->unsupported)
    maker->tally.skipped++;
  else
    maker->tally.ready++;
}

static void
fail_item (ThMaker *maker, Item *item, const char *message)
{
  if (!item->failed)
    maker->events.failed (&item->file, message, maker->data);
  item->failed = TRUE;
}

/* TRUE where this answer was still awaited. */
static gboolean
close_flavor (Item *item, ThFlavor flavor)
{
  gboolean was_open = (item->open & TH_FLAVOR_BIT (flavor)) != 0;

  item->open &= ~TH_FLAVOR_BIT (flavor);
  return was_open;
}

static void
answer_ready (ThMaker *maker, Item *item, ThFlavor flavor)
{
  if (!close_flavor (item, flavor))
    return;
  maker->events.ready (&item->file, flavor, maker->data);
  if (item->open == 0)
    settle (maker, item);
}

static void
answer_error (ThMaker *maker, Item *item, ThFlavor flavor, gboolean unsupported,
              const char *message)
{
  if (!close_flavor (item, flavor))
    return;
  if (unsupported && !item->file.named)
    item->unsupported = TRUE;
  else
    fail_item (maker, item, message);
  if (item->open == 0)
    settle (maker, item);
}

static void
on_ready (guint ticket, const char *const *uris, gpointer data)
{
  ThMaker *maker = data;
  Request *request = g_hash_table_lookup (maker->requests, GUINT_TO_POINTER (ticket));

  for (; request != NULL && *uris != NULL; uris++)
    {
      Item *item = g_hash_table_lookup (request->group->by_uri, *uris);

      if (item != NULL)
        answer_ready (maker, item, request->flavor);
    }
}

/* What was not complete when it was found; it gets its turn under its own name. */
static gboolean
is_download (const ThWalkFile *file)
{
  g_autofree char *name = file->path != NULL ? g_path_get_basename (file->path) : NULL;

  return name != NULL && th_partial_writer (name) != NULL;
}

static void
on_error (guint ticket, const char *const *uris, ThError code, const char *message, gpointer data)
{
  ThMaker *maker = data;
  Request *request = g_hash_table_lookup (maker->requests, GUINT_TO_POINTER (ticket));

  for (; request != NULL && *uris != NULL; uris++)
    {
      Item *item = g_hash_table_lookup (request->group->by_uri, *uris);

      if (item != NULL)
        answer_error (maker, item, request->flavor,
                      code == TH_ERROR_UNSUPPORTED || is_download (&item->file), message);
    }
}

/* Queues the items of a group whose answer for the flavor is awaited. */
static void
queue_open (ThMaker *maker, Group *group, ThFlavor flavor, guint attempt)
{
  g_autoptr (GPtrArray) uris = g_ptr_array_new ();
  g_autoptr (GPtrArray) types = g_ptr_array_new ();
  Request *request;
  guint ticket;

  for (guint i = 0; i < group->items->len; i++)
    {
      Item *item = group->items->pdata[i];

      if ((item->open & TH_FLAVOR_BIT (flavor)) == 0)
        continue;
      g_ptr_array_add (uris, item->file.uri);
      g_ptr_array_add (types, (gpointer) item->mime_type);
    }
  g_ptr_array_add (uris, NULL);
  g_ptr_array_add (types, NULL);
  ticket = th_backend_queue (maker->backend, (const char *const *) uris->pdata,
                             (const char *const *) types->pdata, flavor, maker->klass);
  request = g_new (Request, 1);
  *request = (Request){ .group = group, .flavor = flavor, .attempt = attempt };
  g_hash_table_insert (maker->requests, GUINT_TO_POINTER (ticket), request);
}

static void
fail_open (ThMaker *maker, const Request *request, const char *message)
{
  GPtrArray *items = request->group->items;

  for (guint i = 0; i < items->len; i++)
    answer_error (maker, items->pdata[i], request->flavor, FALSE, message);
}

static void schedule (ThMaker *maker);

static void
end_request (ThMaker *maker, guint ticket, const Request *request)
{
  Group *group = request->group;

  g_hash_table_remove (maker->requests, GUINT_TO_POINTER (ticket));
  if (--group->requests == 0)
    g_hash_table_remove (maker->groups, group);
  schedule (maker);
}

static void
on_finished (guint ticket, gpointer data)
{
  ThMaker *maker = data;
  Request *request = g_hash_table_lookup (maker->requests, GUINT_TO_POINTER (ticket));

  if (request == NULL)
    return;
  fail_open (maker, request, "it was neither made nor refused");
  end_request (maker, ticket, request);
}

/* What the service had not answered when it went away is asked of the next one, once. */
static void
on_lost (guint ticket, const char *why, gpointer data)
{
  ThMaker *maker = data;
  Request *request = g_hash_table_lookup (maker->requests, GUINT_TO_POINTER (ticket));

  if (request == NULL)
    return;
  if (request->attempt < MAX_ATTEMPTS)
    {
      queue_open (maker, request->group, request->flavor, request->attempt + 1);
      g_hash_table_remove (maker->requests, GUINT_TO_POINTER (ticket));
      return;
    }
  fail_open (maker, request, why);
  end_request (maker, ticket, request);
}

const ThBackendEvents th_maker_backend_events = {
  .ready = on_ready,
  .error = on_error,
  .finished = on_finished,
  .lost = on_lost,
};

/* A file that is named twice, or named and found, is one file. */
static void
add_item (ThMaker *maker, Group *group, ThWalkFile *file)
{
  Item *item = g_hash_table_lookup (group->by_uri, file->uri);

  if (item != NULL)
    {
      item->file.named = item->file.named || file->named;
      th_walk_file_clear (file);
      return;
    }
  item = g_new0 (Item, 1);
  item->file = *file;
  item->mime_type = th_guess_type (file->uri, file->path);
  g_ptr_array_add (group->items, item);
  g_hash_table_insert (group->by_uri, item->file.uri, item);
  item->open = maker->events.found (&item->file, maker->data);
}

/* TRUE while there may be more. */
static gboolean
take_step (ThMaker *maker, Group *group)
{
  g_autofree char *problem = NULL;
  ThWalkFile file;

  switch (th_walk_next (maker->walk, &file, &problem))
    {
    case TH_WALK_FILE:
      add_item (maker, group, &file);
      return TRUE;
    case TH_WALK_PROBLEM:
      maker->tally.failed++;
      maker->events.failed (NULL, problem, maker->data);
      return TRUE;
    case TH_WALK_END:
    default:
      return FALSE;
    }
}

static Group *
fill_group (ThMaker *maker)
{
  Group *group = g_new0 (Group, 1);
  gint64 end = g_get_monotonic_time () + FILL_US;

  group->items = g_ptr_array_new_with_free_func (item_free);
  group->by_uri = g_hash_table_new (g_str_hash, g_str_equal);
  while (!maker->walked && group->items->len < GROUP_FILES && g_get_monotonic_time () < end)
    maker->walked = !take_step (maker, group);
  return group;
}

static gboolean
is_wanted (const Group *group, ThFlavor flavor)
{
  for (guint i = 0; i < group->items->len; i++)
    if ((((const Item *) group->items->pdata[i])->open & TH_FLAVOR_BIT (flavor)) != 0)
      return TRUE;
  return FALSE;
}

/* All flavors of a group are queued together, so that one decode serves them. */
static void
queue_group (ThMaker *maker, Group *group)
{
  g_hash_table_add (maker->groups, group);
  for (guint i = 0; i < TH_N_FLAVORS; i++)
    if ((maker->flavors & TH_FLAVOR_BIT (i)) != 0 && is_wanted (group, (ThFlavor) i))
      {
        group->requests++;
        queue_open (maker, group, (ThFlavor) i, 1);
      }
}

static gboolean
on_pump (gpointer data)
{
  ThMaker *maker = data;
  Group *group = fill_group (maker);

  if (group->items->len > 0)
    queue_group (maker, group);
  else
    group_free (group);
  if (!maker->walked && g_hash_table_size (maker->groups) < GROUPS)
    return G_SOURCE_CONTINUE;
  maker->pump = 0;
  if (maker->walked && g_hash_table_size (maker->groups) == 0)
    maker->events.done (maker->data);
  return G_SOURCE_REMOVE;
}

static void
schedule (ThMaker *maker)
{
  if (maker->pump == 0 && (!maker->walked || g_hash_table_size (maker->groups) == 0))
    maker->pump = g_idle_add (on_pump, maker);
}

void
th_maker_start (ThMaker *maker, ThBackend *backend)
{
  maker->backend = backend;
  schedule (maker);
}
