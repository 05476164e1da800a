/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who on the bus is asked first. */
#include "config.h"

#include "engine/th-engine-private.h"
#include "engine/th-explain.h"

GPtrArray *
th_explain_specialists (ThEngine *engine, const char *uri, const char *mime_type)
{
  g_autofree char *scheme = g_uri_parse_scheme (uri);

  if (scheme == NULL || engine->check_tools.specialist_caller.call == NULL)
    return g_ptr_array_new ();
  return th_specialists_find (engine->specialists, scheme, mime_type);
}
