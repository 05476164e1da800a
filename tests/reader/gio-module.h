/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a test knows of the GVfs that it gives to its readers. */
#pragma once

#define TEST_VFS    "thimble-testing"
#define TEST_SCHEME "testing"
/* The environment variable with the target of testing:///to-path. */
#define TEST_TARGET  "TH_TEST_TARGET"
#define PREVIEW_TEXT "a small picture"
/* Of the content of every file. */
#define TEST_BYTE(i) ((guint8) ((i) *7 + (i) / 251))
