/** The client of Carillon, a self-hosted push service. It needs nothing but Java. */
module carillon.client {
    exports carillon.client;
}
