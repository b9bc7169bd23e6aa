package carillon.client;

import carillon.client.session.OutstandingRequest;

/** A request on a connection: of a call or of a stream. */
abstract sealed class ConnectionRequest extends OutstandingRequest permits Call, StreamRequest {
}
