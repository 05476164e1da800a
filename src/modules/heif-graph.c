/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "modules/heif-graph.h"

#include "base/th-bytes.h"

#define MAX_BOXES           1024u
#define MAX_REFERENCE_BYTES (4u * 1024u * 1024u)
#define MAX_EDGES           1048576u
/* A grid has up to 65536 tiles. */
#define MAX_DRAWN 262144u
#define MAX_DEPTH 8u

#define BOX(a, b, c, d)                                                                            \
  ((guint32) (a) << 24 | (guint32) (b) << 16 | (guint32) (c) << 8 | (guint32) (d))

typedef struct
{
  guint32 type;
  guint64 start; /* of the content */
  guint64 end;
} Box;

/* A picture, and one that is drawn for it. */
typedef struct
{
  guint32 from;
  guint32 to;
} Edge;

typedef struct
{
  GArray *edges; /* by from */
  guint drawn;
} Walk;

/* The box at an offset of a space that ends at end. */
static gboolean
read_box (ThInput *input, guint64 offset, guint64 end, Box *box)
{
  guint8 head[16];
  const gssize got = offset < end ? th_input_read (input, offset, head, sizeof head) : 0;
  const ThBytes bytes = { head, (gsize) MAX (got, 0) };
  guint32 size, high, low;
  guint64 all, header = 8;

  if (!th_bytes_u32 (bytes, 0, TRUE, &size) || !th_bytes_u32 (bytes, 4, TRUE, &box->type))
    return FALSE;
  all = size == 0 ? end - offset : size;
  if (size == 1)
    {
      if (!th_bytes_u32 (bytes, 8, TRUE, &high) || !th_bytes_u32 (bytes, 12, TRUE, &low))
        return FALSE;
      all = (guint64) high << 32 | low;
      header = 16;
    }
  if (all < header)
    return FALSE;
  box->start = offset + header;
  box->end = all > end - offset ? end : offset + all;
  return box->start <= box->end;
}

static gboolean
read_id (ThBytes bytes, gsize *at, gboolean wide, guint32 *id)
{
  guint16 narrow;

  if (wide)
    {
      if (!th_bytes_u32 (bytes, *at, TRUE, id))
        return FALSE;
      *at += 4;
      return TRUE;
    }
  if (!th_bytes_u16 (bytes, *at, TRUE, &narrow))
    return FALSE;
  *id = narrow;
  *at += 2;
  return TRUE;
}

/* One list of references. Parts are drawn for the whole, and what accompanies a picture for that.
 */
static void
add_references (GArray *edges, ThBytes bytes, guint32 type, gboolean wide)
{
  const gboolean part = type == BOX ('d', 'i', 'm', 'g');
  gsize at = 0;
  guint32 id, other;
  guint16 n;

  if ((!part && type != BOX ('a', 'u', 'x', 'l')) || !read_id (bytes, &at, wide, &id)
      || !th_bytes_u16 (bytes, at, TRUE, &n))
    return;
  at += 2;
  for (guint i = 0; i < n && read_id (bytes, &at, wide, &other); i++)
    {
      const Edge edge = part ? (Edge){ id, other } : (Edge){ other, id };

      g_array_append_val (edges, edge);
    }
}

static void
add_lists (GArray *edges, ThBytes bytes)
{
  guint8 version;
  gsize at = 4;
  guint32 size, type;
  ThBytes list;

  if (!th_bytes_u8 (bytes, 0, &version))
    return;
  while (th_bytes_u32 (bytes, at, TRUE, &size) && th_bytes_u32 (bytes, at + 4, TRUE, &type)
         && size >= 8 && th_bytes_slice (bytes, at + 8, size - 8, &list))
    {
      add_references (edges, list, type, version != 0);
      at += size;
    }
}

static gboolean
read_references (ThInput *input, const Box *box, GArray *edges)
{
  const guint64 size = box->end - box->start;
  g_autofree guint8 *data = size <= MAX_REFERENCE_BYTES ? g_try_malloc (MAX (size, 1)) : NULL;
  gssize got;

  if (data == NULL)
    return FALSE;
  got = th_input_read (input, box->start, data, (gsize) size);
  add_lists (edges, (ThBytes){ data, (gsize) MAX (got, 0) });
  return edges->len <= MAX_EDGES;
}

/* All references of all boxes "meta"; within one if inside says so. FALSE: too many boxes. */
static gboolean
collect (ThInput *input, guint64 start, guint64 end, gboolean inside, GArray *edges)
{
  Box box;

  for (guint i = 0; read_box (input, start, end, &box); i++)
    {
      if (i >= MAX_BOXES)
        return FALSE;
      if (inside && box.type == BOX ('i', 'r', 'e', 'f') && !read_references (input, &box, edges))
        return FALSE;
      /* Four bytes of version and flags come first. */
      if (!inside && box.type == BOX ('m', 'e', 't', 'a')
          && !collect (input, box.start + 4, box.end, TRUE, edges))
        return FALSE;
      start = box.end;
    }
  return TRUE;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const guint32 left = ((const Edge *) a)->from;
  const guint32 right = ((const Edge *) b)->from;

  return (left > right) - (left < right);
}

static guint
first_of (const GArray *edges, guint32 from)
{
  guint low = 0, high = edges->len;

  while (low < high)
    {
      const guint middle = low + (high - low) / 2;

      if (g_array_index (edges, Edge, middle).from < from)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static gboolean
draw (Walk *walk, guint32 id, guint depth)
{
  const GArray *edges = walk->edges;

  if (depth > MAX_DEPTH || ++walk->drawn > MAX_DRAWN)
    return FALSE;
  for (guint i = first_of (edges, id); i < edges->len && g_array_index (edges, Edge, i).from == id;
       i++)
    if (!draw (walk, g_array_index (edges, Edge, i).to, depth + 1))
      return FALSE;
  return TRUE;
}

gboolean
th_heif_graph_is_sound (ThInput *input)
{
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (Edge));
  Walk walk = { .edges = edges };

  if (!collect (input, 0, th_input_size (input), FALSE, edges))
    return FALSE;
  g_array_sort (edges, compare);
  for (guint i = 0; i < edges->len; i++)
    {
      const guint32 from = g_array_index (edges, Edge, i).from;

      if ((i == 0 || g_array_index (edges, Edge, i - 1).from != from) && !draw (&walk, from, 0))
        return FALSE;
    }
  return TRUE;
}
