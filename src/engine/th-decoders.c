/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-decoders.h"

const char *const th_decoders_builtin[] = { "", NULL };

/* Names of modules are interned. */
static void
add_module (ThMime *mime, GPtrArray *decoders, const char *type)
{
  const char *module = th_mime_module (mime, type);

  if (module != NULL && !g_ptr_array_find (decoders, module, NULL))
    g_ptr_array_add (decoders, (gpointer) module);
}

static GPtrArray *
modules_of (ThMime *mime, const char *const *types)
{
  GPtrArray *modules = g_ptr_array_new ();

  for (guint i = 0; types[i] != NULL; i++)
    add_module (mime, modules, types[i]);
  return modules;
}

GPtrArray *
th_decoders_first (ThMime *mime, const char *const *types)
{
  GPtrArray *decoders = modules_of (mime, types);

  g_ptr_array_add (decoders, (gpointer) "");
  g_ptr_array_add (decoders, NULL);
  return decoders;
}

GPtrArray *
th_decoders_further (ThMime *mime, const char *const *types, guint n, const char *const *first)
{
  g_autoptr (GPtrArray) decoders = modules_of (mime, first);
  guint before = decoders->len;

  for (guint i = 0; i < n; i++)
    if (types[i] != NULL)
      add_module (mime, decoders, types[i]);
  if (decoders->len == before)
    return NULL;
  if (before > 0)
    g_ptr_array_remove_range (decoders, 0, before);
  g_ptr_array_add (decoders, NULL);
  return g_steal_pointer (&decoders);
}

const char *const *
th_decoders (const GPtrArray *decoders)
{
  return (const char *const *) decoders->pdata;
}
