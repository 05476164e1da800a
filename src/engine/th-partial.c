/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-partial.h"

#include <string.h>

/* What begins with one and ends with the other, and has something between, whatever the case. */
typedef struct
{
  const char *prefix;
  const char *suffix;
  const char *writer;
} Row;

/* Where a place in the program is named the name comes from there. Left out is what complete files
 * are called, too: .tmp and .temp alone, NAME.XXXXXX of rsync and of QSaveFile. */
static const Row rows[] = {
  { "", ".part", "Firefox, KIO, yt-dlp, Transmission" }, /* nsExternalAppHandler; MarkPartial */
  { "", ".crdownload", "Chromium" },                     /* kCrdownloadSuffix */
  { "", ".opdownload", "Opera" },                        /* the same there */
  { "", ".download", "Qt WebEngine, Safari" },           /* DownloadTargetHelper */
  { "", ".wkdownload", "WebKitGTK" },                    /* NetworkDataTaskSoup */
  { "", ".partial", "Internet Explorer, Edge" },
  { "", ".filepart", "WinSCP" }, /* its manual: transfer to temporary filename */
  { "", ".!qb", "qBittorrent" }, /* QB_EXT */
  { "", ".!ut", "µTorrent" },    /* preference: append .!ut to incomplete files */
  { "", ".!bt", "BitTorrent" },  /* the same there */
  { "", ".bc!", "BitComet" },
  { "", ".!sync", "Resilio Sync" },
  { "", ".aria2", "aria2" }, /* what it knows of a file that is not complete */
  { "", ".ytdl", "yt-dlp" }, /* the same */
  { "", ".fdmdownload", "Free Download Manager" },
  { "", ".dtapart", "DownThemAll" },
  { "", ".td", "Xunlei" },
  { "", ".xltd", "Xunlei" },
  { "", ".jc!", "FlashGet" },
  { ".goutputstream-", "", "GIO" },        /* g_local_file_output_stream_replace */
  { ".syncthing.", ".tmp", "Syncthing" },  /* lib/fs/tempname.go: UnixTempPrefix */
  { "~syncthing~", ".tmp", "Syncthing" },  /* WindowsTempPrefix */
  { ".com.google.chrome.", "", "Chrome" }, /* base::FormatTemporaryFileName */
  { ".org.chromium.chromium.", "", "Chromium" },
};

const char *
th_partial_writer (const char *name)
{
  gsize length = strlen (name);

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      gsize before = strlen (rows[i].prefix);
      gsize after = strlen (rows[i].suffix);

      if (length > before + after && g_ascii_strncasecmp (name, rows[i].prefix, before) == 0
          && g_ascii_strcasecmp (name + length - after, rows[i].suffix) == 0)
        return rows[i].writer;
    }
  return NULL;
}
