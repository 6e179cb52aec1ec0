extern "C" __attribute__((visibility("default"))) int the_one_on_disk() { return 1; }
