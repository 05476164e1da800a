/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a test knows of the volume monitor that it gives to thimble-volumes. */
#pragma once

/* The environment variable with the path of a FIFO. Each string in it, up to its NUL, is a mount
 * that is about to be unmounted: a path, a URI as its root, or TEST_VOLUMES_DEFAULT and a path for
 * one that has a local path only as its default location. */
#define TEST_VOLUMES         "TH_TEST_VOLUMES"
#define TEST_VOLUMES_DEFAULT "default:"
