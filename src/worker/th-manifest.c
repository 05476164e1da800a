/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "worker/th-manifest.h"

#include "core/th-codec.h"

char *
th_manifest_text (void)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; th_codecs[i] != NULL; i++)
    {
      const ThCodec *codec = th_codecs[i];

      g_string_append_printf (text, "%s[Codec %s]\nMimeTypes=", i > 0 ? "\n" : "", codec->name);
      for (guint m = 0; codec->mime_types[m] != NULL; m++)
        g_string_append_printf (text, "%s;", codec->mime_types[m]);
      g_string_append (text, "\n");
      if ((codec->needs & TH_NEEDS_FONTS) != 0)
        g_string_append (text, "Needs=fonts;\n");
    }
  return g_string_free (text, FALSE);
}
