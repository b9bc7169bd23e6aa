package carillon.client;

import java.util.OptionalDouble;

/** The sound of a notification. */
public sealed interface Sound {
    /**
     * A sound by its name.
     *
     * @param name a file of the app, or {@code default}
     */
    record Named(String name) implements Sound {
    }

    /**
     * A critical sound, which is heard although the device is silent.
     *
     * @param name a file of the app, or {@code default}
     * @param volume from 0 to 1; empty for that of the device
     */
    record Critical(String name, OptionalDouble volume) implements Sound {
    }

    /**
     * Names a sound.
     *
     * @param name a file of the app, or {@code default}
     * @return the sound
     */
    static Sound of(String name) {
        return new Named(ArgumentChecks.value("sound", name));
    }

    /**
     * Names a critical sound.
     *
     * @param name a file of the app, or {@code default}
     * @return the sound, in the volume of the device
     */
    static Sound critical(String name) {
        return new Critical(ArgumentChecks.value("sound", name), OptionalDouble.empty());
    }

    /**
     * Names a critical sound.
     *
     * @param name a file of the app, or {@code default}
     * @param volume from 0 to 1
     * @return the sound
     */
    static Sound critical(String name, double volume) {
        return new Critical(ArgumentChecks.value("sound", name), OptionalDouble.of(volume));
    }
}
