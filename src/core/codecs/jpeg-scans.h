/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much of a picture in several scans has to be read. Knows no source and no output. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include <jpeglib.h>

/* After JPEG_SCAN_COMPLETED, with the output scale set: TRUE where what the missing scans could
 * still change is too small to be seen in a target that has share (above 0 to 1) of the rows and
 * columns that libjpeg puts out. */
gboolean th_jpeg_scans_suffice (const struct jpeg_decompress_struct *cinfo, double share);
/* Scans after which reading stops whatever is missing: a file of a few kilobytes can name thousands
 * of scans, each of which walks over the whole picture. */
guint th_jpeg_scans_max (const struct jpeg_decompress_struct *cinfo);
