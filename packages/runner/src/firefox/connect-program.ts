// Started where a Firefox is: connects to its port and gives the connection to the process that started this one.
import { connect } from 'node:net';

const socket = connect({ host: '127.0.0.1', port: Number(process.argv[2]), noDelay: true });
socket.once('connect', () => process.send?.('connected', socket, {}, () => process.disconnect()));
socket.once('error', () => process.exit(1));
