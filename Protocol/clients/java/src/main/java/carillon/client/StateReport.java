package carillon.client;

import java.util.Optional;
import java.util.UUID;

/**
 * A change of the state of a client (CONTRACT.md, OBS-3). What does not belong to a state is empty.
 *
 * @param state what has happened
 * @param address the address
 * @param error why an attempt or a connection has ended, or an address has refused
 * @param software name and version of the server, of {@link State#CONNECTED}
 * @param epoch the epoch of the server, of {@link State#CONNECTED} and {@link State#NEW_HISTORY}
 * @param earlierEpoch the epoch before, of {@link State#NEW_HISTORY}
 * @param reason why the server drains, of {@link State#DRAINING}
 */
public record StateReport(State state, Optional<String> address, Optional<CarillonException> error,
    Optional<String> software, Optional<UUID> epoch, Optional<UUID> earlierEpoch, Optional<String> reason) {
    /** What can happen. */
    public enum State {
        /** An attempt to connect begins. */
        CONNECTING,
        /** A connection is open. */
        CONNECTED,
        /** An attempt to connect has failed. */
        FAILED,
        /** The server wants no more requests on a connection. */
        DRAINING,
        /** An open connection has ended. */
        DISCONNECTED,
        /** An address is ruled out. */
        REFUSED,
        /** The server has another history than the one before. */
        NEW_HISTORY,
        /** The client is closed. */
        CLOSED
    }

    static StateReport of(State state, Address address, Failure failure) {
        return new StateReport(state, Optional.ofNullable(address).map(Address::toString),
            Optional.ofNullable(failure).map(CarillonException::new), Optional.empty(), Optional.empty(),
            Optional.empty(), Optional.empty());
    }

    static StateReport connected(Address address, String software, UUID epoch) {
        return new StateReport(State.CONNECTED, Optional.of(address.toString()), Optional.empty(),
            Optional.of(software), Optional.of(epoch), Optional.empty(), Optional.empty());
    }

    static StateReport draining(Address address, String reason) {
        return new StateReport(State.DRAINING, Optional.of(address.toString()), Optional.empty(), Optional.empty(),
            Optional.empty(), Optional.empty(), Optional.of(reason));
    }

    static StateReport newHistory(Address address, UUID before, UUID now) {
        return new StateReport(State.NEW_HISTORY, Optional.of(address.toString()), Optional.empty(), Optional.empty(),
            Optional.of(now), Optional.of(before), Optional.empty());
    }
}
