package carillon.client;

/** A thread of a client. It keeps no process alive (CONTRACT.md, CLS-4), and must not wait for a call. */
final class ClientThread extends Thread {
    ClientThread(String name, Runnable body) {
        super(null, body, "carillon-" + name, 0, false);
        setDaemon(true);
    }

    static boolean isCurrent() {
        return Thread.currentThread() instanceof ClientThread;
    }
}
