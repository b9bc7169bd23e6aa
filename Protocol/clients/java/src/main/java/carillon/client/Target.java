package carillon.client;

/** An address and what is known of it. Guarded by the lock of its client. */
final class Target {
    final int index;
    final Address address;
    long notBefore;
    /** Why it is ruled out; null if it is not. */
    Failure refusal;
    long refusedUntil;
    byte[] refusedKey;

    Target(int index, Address address) {
        this.index = index;
        this.address = address;
    }

    boolean isAvailable(long now) {
        return refusal == null && notBefore <= now;
    }

    boolean isRefusedKey() {
        return refusal != null && refusal.code() == Code.AUTHENTICATION_FAILED;
    }
}
