/** Where routes are added: apart from the rest, so that a program's types of `createApp` bring in no more of HTTP. */
export type { Router as Routes } from "express";
