/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-motion.h"

/* One file, for as long as somebody who was held for it has no answer. */
typedef struct
{
  ThFileKey key; /* as it was named last; device and inode stay */
  ThFileKey state;
  gint64 since;         /* first seen in that state */
  GQueue held;          /* Node; these wait here */
  GQueue out;           /* Node; these are being dealt with */
  gint64 deadline;      /* of the most impatient one that is held */
  gint64 due;           /* of the next look */
  GSequenceIter *place; /* in the order of looks, while somebody is held */
} Record;

typedef struct
{
  ThWaiter waiter;
  gpointer lane;
  gint64 deadline;
  Record *record;
  GQueue *queue; /* of the record */
  GList link;    /* in that; data: this node */
} Node;

struct _ThMotion
{
  gint64 quiet;
  gint64 patience;
  GHashTable *records;  /* key → Record */
  GHashTable *requests; /* handle → table of index → Node, none of them empty */
  GSequence *looks;     /* Record, soonest first */
};

static guint
file_hash (gconstpointer data)
{
  const ThFileKey *key = data;
  guint64 hash = (key->inode ^ (key->device << 40)) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  return (guint) (hash >> 32);
}

static gboolean
file_equal (gconstpointer a, gconstpointer b)
{
  const ThFileKey *x = a;
  const ThFileKey *y = b;

  return x->inode == y->inode && x->device == y->device;
}

static gboolean
state_equal (const ThFileKey *a, const ThFileKey *b)
{
  return file_equal (a, b) && a->size == b->size && a->mtime == b->mtime
         && a->mtime_ns == b->mtime_ns;
}

ThMotion *
th_motion_new (gint64 quiet, gint64 patience)
{
  ThMotion *motion = g_new0 (ThMotion, 1);

  motion->quiet = quiet;
  motion->patience = patience;
  motion->records = g_hash_table_new_full (file_hash, file_equal, NULL, g_free);
  motion->requests = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_hash_table_unref);
  motion->looks = g_sequence_new (NULL);
  return motion;
}

void
th_motion_free (ThMotion *motion)
{
  g_hash_table_unref (motion->requests);
  g_hash_table_unref (motion->records);
  g_sequence_free (motion->looks);
  g_free (motion);
}

gboolean
th_motion_doubts (ThStatus status, gboolean by_program)
{
  static const gboolean incomplete[TH_N_STATUSES] = {
    [TH_STATUS_PARTIAL] = TRUE,
    [TH_STATUS_NOT_MINE] = TRUE,
    [TH_STATUS_CORRUPT] = TRUE,
    [TH_STATUS_NO_CONTENT] = TRUE,
  };

  /* Others' programs take half a file in any way. */
  return incomplete[status]
         || (by_program && (status == TH_STATUS_CRASHED || status == TH_STATUS_PROTOCOL));
}

gboolean
th_motion_rests (const ThMotion *motion, gint64 since, gint64 until)
{
  return until - since >= motion->quiet;
}

ThMotionLook
th_motion_look (const ThMotion *motion, const ThFileKey *key, const ThFileKey *state, gint64 now,
                gint64 *since)
{
  const Record *record = g_hash_table_lookup (motion->records, key);

  if (record == NULL)
    return TH_MOTION_UNKNOWN;
  if (!state_equal (&record->state, state))
    return TH_MOTION_MOVING;
  *since = record->since;
  return th_motion_rests (motion, record->since, now) ? TH_MOTION_QUIET : TH_MOTION_MOVING;
}

static int
by_due (gconstpointer a, gconstpointer b, gpointer unused)
{
  const Record *x = a;
  const Record *y = b;

  return x->due < y->due ? -1 : x->due > y->due;
}

/* Finds its place again after one of the times has changed. */
static void
schedule (ThMotion *motion, Record *record)
{
  record->due = MIN (record->since + motion->quiet, record->deadline);
  if (record->place == NULL)
    record->place = g_sequence_insert_sorted (motion->looks, record, by_due, NULL);
  else
    g_sequence_sort_changed (record->place, by_due, NULL);
}

/* Nobody is held any more. */
static void
unschedule (Record *record)
{
  if (record->place != NULL)
    g_sequence_remove (record->place);
  record->place = NULL;
  record->deadline = G_MAXINT64;
}

static Record *
record_new (ThMotion *motion, const ThFileKey *key, const ThFileKey *state, gint64 since)
{
  Record *record = g_new0 (Record, 1);

  record->key = *key;
  record->state = *state;
  record->since = since;
  record->deadline = G_MAXINT64;
  g_hash_table_insert (motion->records, &record->key, record);
  return record;
}

static void
leave_record (ThMotion *motion, Node *node)
{
  Record *record = node->record;

  if (record == NULL)
    return;
  g_queue_unlink (node->queue, &node->link);
  node->record = NULL;
  if (!g_queue_is_empty (&record->held))
    return;
  unschedule (record);
  if (g_queue_is_empty (&record->out))
    g_hash_table_remove (motion->records, &record->key);
}

static void
join_record (Node *node, Record *record, GQueue *queue)
{
  node->record = record;
  node->queue = queue;
  g_queue_push_tail_link (queue, &node->link);
}

static Node *
look_up (const ThMotion *motion, const ThWaiter *waiter)
{
  GHashTable *nodes = g_hash_table_lookup (motion->requests, GUINT_TO_POINTER (waiter->handle));

  return nodes != NULL ? g_hash_table_lookup (nodes, GUINT_TO_POINTER (waiter->index)) : NULL;
}

/* In no record yet where it is new. */
static Node *
find_node (ThMotion *motion, const ThWaiter *waiter, gint64 now)
{
  Node *node = look_up (motion, waiter);
  GHashTable *nodes;

  if (node != NULL)
    return node;
  nodes = g_hash_table_lookup (motion->requests, GUINT_TO_POINTER (waiter->handle));
  if (nodes == NULL)
    {
      nodes = g_hash_table_new_full (NULL, NULL, NULL, g_free);
      g_hash_table_insert (motion->requests, GUINT_TO_POINTER (waiter->handle), nodes);
    }
  node = g_new0 (Node, 1);
  node->waiter = *waiter;
  node->deadline = now + motion->patience;
  node->link.data = node;
  g_hash_table_insert (nodes, GUINT_TO_POINTER (waiter->index), node);
  return node;
}

/* What looked earlier may come later: it tells nothing new. */
static void
note_state (Record *record, const ThFileKey *key, const ThFileKey *state, gint64 since)
{
  if (since <= record->since || state_equal (&record->state, state))
    return;
  record->key = *key;
  record->state = *state;
  record->since = since;
}

static void
hold (ThMotion *motion, Node *node, Record *record, gpointer lane)
{
  if (node->record == record)
    g_queue_unlink (node->queue, &node->link);
  else
    leave_record (motion, node);
  join_record (node, record, &record->held);
  node->lane = lane;
  record->deadline = MIN (record->deadline, node->deadline);
  schedule (motion, record);
}

gboolean
th_motion_hold (ThMotion *motion, gpointer lane, const ThFileKey *key, const ThFileKey *state,
                gint64 since, const ThWaiter *waiter, gint64 now)
{
  Node *node = find_node (motion, waiter, now);
  Record *record;

  if (node->record != NULL && now >= node->deadline)
    {
      th_motion_forget (motion, waiter);
      return FALSE;
    }
  record = g_hash_table_lookup (motion->records, key);
  if (record != NULL)
    note_state (record, key, state, since);
  else
    record = record_new (motion, key, state, since);
  hold (motion, node, record, lane);
  return TRUE;
}

gboolean
th_motion_join (ThMotion *motion, gpointer lane, const ThFileKey *key, const ThWaiter *waiter,
                gint64 now)
{
  Record *record = g_hash_table_lookup (motion->records, key);

  if (record == NULL || record->place == NULL)
    return FALSE;
  hold (motion, find_node (motion, waiter, now), record, lane);
  return TRUE;
}

void
th_motion_forget (ThMotion *motion, const ThWaiter *waiter)
{
  GHashTable *nodes = g_hash_table_lookup (motion->requests, GUINT_TO_POINTER (waiter->handle));
  Node *node = look_up (motion, waiter);

  if (node == NULL)
    return;
  leave_record (motion, node);
  g_hash_table_remove (nodes, GUINT_TO_POINTER (waiter->index));
  if (g_hash_table_size (nodes) == 0)
    g_hash_table_remove (motion->requests, GUINT_TO_POINTER (waiter->handle));
}

void
th_motion_drop (ThMotion *motion, guint32 handle)
{
  GHashTable *nodes = g_hash_table_lookup (motion->requests, GUINT_TO_POINTER (handle));
  GHashTableIter iter;
  gpointer node;

  if (nodes == NULL)
    return;
  g_hash_table_iter_init (&iter, nodes);
  while (g_hash_table_iter_next (&iter, NULL, &node))
    leave_record (motion, node);
  g_hash_table_remove (motion->requests, GUINT_TO_POINTER (handle));
}

void
th_motion_list (const ThMotion *motion, guint32 handle, GArray *out)
{
  GHashTable *nodes = g_hash_table_lookup (motion->requests, GUINT_TO_POINTER (handle));
  GHashTableIter iter;
  gpointer value;

  if (nodes == NULL)
    return;
  g_hash_table_iter_init (&iter, nodes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const Node *node = value;
      ThPulled listed = { .waiter = node->waiter };

      if (node->record == NULL || node->queue != &node->record->held)
        continue;
      listed.key = node->record->key;
      g_array_append_val (out, listed);
    }
}

static const Record *
first_look (const ThMotion *motion)
{
  GSequenceIter *first = g_sequence_get_begin_iter (motion->looks);

  return g_sequence_iter_is_end (first) ? NULL : g_sequence_get (first);
}

gint64
th_motion_due (const ThMotion *motion)
{
  const Record *record = first_look (motion);

  return record != NULL ? record->due : 0;
}

static void
hand_out (Record *record, guint end, GArray *out)
{
  GList *link;

  while (out->len < end && (link = g_queue_pop_head_link (&record->held)) != NULL)
    {
      Node *node = link->data;
      ThHeld held = { node->lane, record->key, node->waiter };

      g_array_append_val (out, held);
      join_record (node, record, &record->out);
    }
  if (g_queue_is_empty (&record->held))
    unschedule (record);
}

void
th_motion_take_due (ThMotion *motion, gint64 now, guint max, GArray *out)
{
  guint end = out->len + max;
  const Record *record;

  while (out->len < end && (record = first_look (motion)) != NULL && record->due <= now)
    hand_out ((Record *) record, end, out);
}
