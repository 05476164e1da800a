/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-mount-table.h"

#include <string.h>
#include <sys/sysmacros.h>

#include "engine/th-mount-kind.h"

/* id, parent, device, root, point, options, then optional ones up to a hyphen. */
#define FIELDS_BEFORE 6u
/* type, source, options */
#define FIELDS_BEHIND 3u

/* A line. Only its parent tells what hides what: a mount over a folder hides those below it, too,
 * that were there before. */
typedef struct _Line Line;
struct _Line
{
  ThMount *mount;
  guint32 parent_id;
  const Line *parent; /* NULL: the root, or below one that is not in the table */
};

struct _ThMountTable
{
  gatomicrefcount refs;
  GHashTable *seen; /* point → ThMount */
  ThMount *none;
  const ThMount *home; /* owned by seen */
};

ThMount *
th_mount_ref (ThMount *mount)
{
  g_atomic_ref_count_inc (&mount->refs);
  return mount;
}

void
th_mount_unref (ThMount *mount)
{
  if (!g_atomic_ref_count_dec (&mount->refs))
    return;
  g_free (mount->point);
  g_free (mount->type);
  g_free (mount->source);
  g_free (mount);
}

static ThMount *
new_mount (const char *point, const char *type, const char *source)
{
  ThMount *mount = g_new0 (ThMount, 1);

  g_atomic_ref_count_init (&mount->refs);
  mount->point = g_strdup (point);
  mount->type = g_strdup (type);
  mount->source = g_strdup (source);
  return mount;
}

ThMount *
th_mount_new_apart (const ThMount *mount)
{
  ThMount *copy = new_mount (mount->point, mount->type, mount->source);

  copy->id = mount->id;
  copy->device = mount->device;
  copy->cloud = mount->cloud;
  copy->encrypted = mount->encrypted;
  copy->apart = TRUE;
  return copy;
}

static gboolean
is_octal (const char *digits)
{
  return digits[0] >= '0' && digits[0] <= '3' && digits[1] >= '0' && digits[1] <= '7'
         && digits[2] >= '0' && digits[2] <= '7';
}

/* Space, tab, newline, backslash and number sign come as \ooo. */
static void
unescape (char *text)
{
  char *to = text;

  for (const char *from = text; *from != '\0';)
    {
      if (from[0] == '\\' && is_octal (from + 1))
        {
          *to++ = (char) ((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
          from += 4;
        }
      else
        *to++ = *from++;
    }
  *to = '\0';
}

/* Cuts the next field off *at, or gives NULL at the end. Fields may be empty. */
static char *
take_field (char **at)
{
  char *field = *at;
  char *space;

  if (field == NULL)
    return NULL;
  space = strchr (field, ' ');
  if (space != NULL)
    *space++ = '\0';
  *at = space;
  return field;
}

static gboolean
take_fields (char **at, char **fields, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      fields[i] = take_field (at);
      if (fields[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
skip_to_hyphen (char **at)
{
  const char *field;

  do
    field = take_field (at);
  while (field != NULL && strcmp (field, "-") != 0);
  return field != NULL;
}

static gboolean
to_number (const char *text, guint32 *number)
{
  guint64 wide;

  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT32, &wide, NULL))
    return FALSE;
  *number = (guint32) wide;
  return TRUE;
}

static gboolean
to_device (char *text, dev_t *device)
{
  char *colon = strchr (text, ':');
  guint32 numbers[2];

  if (colon == NULL)
    return FALSE;
  *colon = '\0';
  if (!to_number (text, &numbers[0]) || !to_number (colon + 1, &numbers[1]))
    return FALSE;
  *device = makedev (numbers[0], numbers[1]);
  return TRUE;
}

static gboolean
parse_line (char *text, Line *line)
{
  char *at = text;
  char *before[FIELDS_BEFORE];
  char *behind[FIELDS_BEHIND];
  guint32 id;
  dev_t device;

  if (!take_fields (&at, before, FIELDS_BEFORE) || !skip_to_hyphen (&at)
      || !take_fields (&at, behind, FIELDS_BEHIND))
    return FALSE;
  if (!to_number (before[0], &id) || !to_number (before[1], &line->parent_id)
      || !to_device (before[2], &device))
    return FALSE;
  unescape (before[4]);
  unescape (behind[0]);
  unescape (behind[1]);
  if (before[4][0] != '/')
    return FALSE;
  line->mount = new_mount (before[4], behind[0], behind[1]);
  line->mount->id = id;
  line->mount->device = device;
  line->mount->apart = !th_mount_kind_is_local (behind[0]);
  line->mount->cloud = th_mount_kind_is_cloud (behind[0], behind[1]);
  line->mount->encrypted = th_mount_kind_is_encrypted (behind[0], behind[1]);
  return TRUE;
}

static void
clear_line (gpointer data)
{
  th_mount_unref (((Line *) data)->mount);
}

static GArray *
parse (const char *text, gsize size)
{
  g_autofree char *copy = g_strndup (text, size);
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (Line));
  char *at = copy;

  g_array_set_clear_func (lines, clear_line);
  while (at != NULL)
    {
      char *end = strchr (at, '\n');
      Line line = { 0 };

      if (end != NULL)
        *end++ = '\0';
      if (parse_line (at, &line))
        g_array_append_val (lines, line);
      at = end;
    }
  return lines;
}

static guint
hash_child (gconstpointer key)
{
  const Line *line = key;

  return g_str_hash (line->mount->point) ^ g_direct_hash (line->parent);
}

static gboolean
equal_child (gconstpointer a, gconstpointer b)
{
  const Line *line = a;
  const Line *other = b;

  return line->parent == other->parent && strcmp (line->mount->point, other->mount->point) == 0;
}

static const Line *
find_root (GArray *lines, GHashTable *by_id)
{
  const Line *root = NULL;

  for (guint i = 0; i < lines->len; i++)
    {
      const Line *line = &g_array_index (lines, Line, i);
      const Line *parent = g_hash_table_lookup (by_id, GUINT_TO_POINTER (line->parent_id));

      if (strcmp (line->mount->point, "/") == 0 && (parent == NULL || parent == line))
        root = line;
    }
  return root;
}

static void
set_parents (GArray *lines)
{
  g_autoptr (GHashTable) by_id = g_hash_table_new (NULL, NULL);
  const Line *root;

  for (guint i = 0; i < lines->len; i++)
    {
      Line *line = &g_array_index (lines, Line, i);

      g_hash_table_insert (by_id, GUINT_TO_POINTER (line->mount->id), line);
    }
  root = find_root (lines, by_id);
  for (guint i = 0; i < lines->len; i++)
    {
      Line *line = &g_array_index (lines, Line, i);

      line->parent = g_hash_table_lookup (by_id, GUINT_TO_POINTER (line->parent_id));
      if (line->parent == NULL || line->parent == line)
        line->parent = strcmp (line->mount->point, "/") != 0 ? root : NULL;
    }
}

/* Each line under its parent and point. */
static GHashTable *
index_children (GArray *lines)
{
  GHashTable *children = g_hash_table_new (hash_child, equal_child);

  set_parents (lines);
  for (guint i = 0; i < lines->len; i++)
    {
      Line *line = &g_array_index (lines, Line, i);

      g_hash_table_replace (children, line, line);
    }
  return children;
}

/* What lies on top at a point, of the mounts on this one. Each has one parent, so that it ends. */
static const Line *
climb (GHashTable *children, char *point, const Line *on)
{
  ThMount mount = { .point = point };
  Line key = { .mount = &mount, .parent = on };
  const Line *child;

  while ((child = g_hash_table_lookup (children, &key)) != NULL)
    key.parent = child;
  return key.parent;
}

/* The line that the kernel comes to at point. */
static const Line *
descend (GHashTable *children, const char *point)
{
  g_autofree char *at = g_strdup (point);
  char root[] = "/";
  const Line *on = climb (children, root, NULL);
  char *end = at;

  while (end[0] == '/' && end[1] != '\0')
    {
      end = strchrnul (end + 1, '/');
      if (*end == '/')
        {
          *end = '\0';
          on = climb (children, at, on);
          *end = '/';
        }
      else
        on = climb (children, at, on);
    }
  return on;
}

static ThMount *
deepest (const ThMountTable *table, const char *path)
{
  g_autofree char *at = g_strdup (path);

  for (char *slash = at + strlen (at); slash != NULL && slash > at; slash = strrchr (at, '/'))
    {
      ThMount *mount;

      *slash = '\0';
      mount = g_hash_table_lookup (table->seen, at);
      if (mount != NULL)
        return mount;
    }
  return g_hash_table_lookup (table->seen, "/");
}

ThMountTable *
th_mount_table_new (const char *text, gsize size, const char *home)
{
  g_autoptr (GArray) lines = parse (text, size);
  g_autoptr (GHashTable) children = index_children (lines);
  ThMountTable *table = g_new0 (ThMountTable, 1);
  ThMount *mount;

  g_atomic_ref_count_init (&table->refs);
  table->none = new_mount ("", "", "");
  table->seen =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) th_mount_unref);
  for (guint i = 0; i < lines->len; i++)
    {
      const Line *line = &g_array_index (lines, Line, i);

      if (descend (children, line->mount->point) == line)
        g_hash_table_replace (table->seen, line->mount->point, th_mount_ref (line->mount));
    }
  mount = home != NULL ? deepest (table, home) : NULL;
  if (mount != NULL)
    mount->apart = FALSE;
  table->home = mount;
  return table;
}

ThMountTable *
th_mount_table_ref (ThMountTable *table)
{
  g_atomic_ref_count_inc (&table->refs);
  return table;
}

void
th_mount_table_unref (ThMountTable *table)
{
  if (!g_atomic_ref_count_dec (&table->refs))
    return;
  g_hash_table_unref (table->seen);
  th_mount_unref (table->none);
  g_free (table);
}

ThMount *
th_mount_table_at (const ThMountTable *table, const char *point)
{
  return g_hash_table_lookup (table->seen, point);
}

ThMount *
th_mount_table_none (const ThMountTable *table)
{
  return table->none;
}

gboolean
th_mount_table_is_passed (const ThMountTable *table, const ThMount *mount)
{
  gsize length = strlen (mount->point);

  if (length == 1 || strcmp (mount->type, "autofs") == 0)
    return TRUE;
  return table->home != NULL && strncmp (table->home->point, mount->point, length) == 0
         && table->home->point[length] == '/';
}
